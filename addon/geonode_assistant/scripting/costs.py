# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call of each listed function costs, since most of them run in C, where nothing can stop them.

A function that stands nowhere here is not given to scripts: whoever lists one (``rust/script/policy/reviewed.json``)
says here what it costs. A test walks over all of them.
"""

from __future__ import annotations

from functools import cache

OWN = "own"
"""Has its own limit (``guards``, ``numeric``), is written for scripts, or decides by itself."""
STOPPABLE = "stoppable"
"""Returns to Python's loop, or takes its items from an iterator that looks for a signal: the watchdog stops it."""
PLAIN = "plain"
"""A few nanoseconds for each item or byte of its arguments and its result, which are bounded when they are made."""
MIDDLE, SLOW = "middle", "slow"
LARGEST: dict[str, int] = {MIDDLE: 20_000_000, SLOW: 5_000_000}
"""Of functions of numpy: the most items of their arguments or their result, at up to 200 and up to 1,000 ns for each on
a busy machine. ``numeric`` counts them."""

COSTS: dict[str, dict[str, str]] = {
    "collections.abc": {
        PLAIN: "Callable Collection Generator Hashable Iterable Iterator Mapping MutableMapping MutableSequence"
        " MutableSet Reversible Sequence Set Sized",
    },
    "os.path": {
        PLAIN: "basename dirname join normpath split splitext",
    },
    "types": {
        OWN: "SimpleNamespace",
    },
    "uuid": {
        PLAIN: "uuid4",
    },
    "logging": {
        OWN: "basicConfig critical debug error exception getLogger info warning",
    },
    "pprint": {
        OWN: "pprint",
        STOPPABLE: "pformat",
    },
    "cmath": {
        PLAIN: "acos asin atan cos exp isclose isfinite log log10 phase polar rect sin sqrt tan",
    },
    "numbers": {
        PLAIN: "Complex Integral Number Rational Real",
    },
    "warnings": {
        PLAIN: "catch_warnings filterwarnings simplefilter warn",
    },
    "zlib": {
        PLAIN: "adler32 crc32",
    },
    "hashlib": {
        PLAIN: "md5 sha1 sha256",
    },
    "calendar": {
        PLAIN: "isleap monthrange",
    },
    "traceback": {
        OWN: "format_exc print_exc",
    },
    "textwrap": {
        STOPPABLE: "dedent fill indent shorten wrap",
    },
    "contextlib": {
        OWN: "ExitStack contextmanager",
        PLAIN: "nullcontext suppress",
    },
    "bl_math": {
        PLAIN: "clamp lerp smoothstep",
    },
    "math": {
        OWN: "comb factorial gcd lcm perm prod",
        STOPPABLE: "fsum isqrt",
        PLAIN: "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist erf erfc exp exp2"
        " expm1 fabs floor fmod frexp gamma hypot isclose isfinite isinf isnan ldexp lgamma log log10 log1p"
        " log2 modf nextafter pow radians remainder sin sinh sqrt tan tanh trunc ulp",
    },
    "random": {
        OWN: "choices getrandbits",
        STOPPABLE: "Random sample shuffle",
        PLAIN: "betavariate binomialvariate choice expovariate gammavariate gauss getstate lognormvariate"
        " normalvariate paretovariate randint random randrange seed setstate triangular uniform"
        " vonmisesvariate weibullvariate",
    },
    "time": {
        PLAIN: "gmtime localtime monotonic perf_counter perf_counter_ns process_time strftime time time_ns",
    },
    "colorsys": {
        PLAIN: "hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb",
    },
    "itertools": {
        OWN: "combinations combinations_with_replacement count cycle groupby permutations product repeat",
        STOPPABLE: "accumulate batched chain compress dropwhile filterfalse islice pairwise starmap takewhile"
        " tee zip_longest",
    },
    "functools": {
        OWN: "total_ordering wraps",
        STOPPABLE: "cache cached_property cmp_to_key lru_cache partial partialmethod reduce",
    },
    "collections": {
        OWN: "namedtuple",
        STOPPABLE: "ChainMap Counter OrderedDict defaultdict deque",
    },
    "dataclasses": {
        OWN: "dataclass",
        PLAIN: "InitVar",
        STOPPABLE: "asdict astuple field fields is_dataclass replace",
    },
    "typing": {
        OWN: "final",
        PLAIN: "Annotated Any AnyStr Callable ClassVar Collection Concatenate Counter DefaultDict Deque Dict Final"
        " FrozenSet Generator Generic Hashable ItemsView Iterable Iterator KeysView List Literal Mapping"
        " MutableMapping MutableSequence MutableSet NamedTuple Never NewType NoReturn NotRequired Optional"
        " OrderedDict ParamSpec Protocol Required Reversible Self Sequence Set Sized SupportsFloat SupportsInt"
        " Text Tuple Type TypeAlias TypeVar TypedDict Union ValuesView cast overload",
    },
    "enum": {
        OWN: "Enum Flag IntEnum IntFlag StrEnum unique",
        PLAIN: "auto",
    },
    "copy": {
        OWN: "deepcopy",
        STOPPABLE: "copy",
    },
    "statistics": {
        STOPPABLE: "correlation covariance fmean geometric_mean harmonic_mean linear_regression mean median median_high"
        " median_low mode multimode pstdev pvariance quantiles stdev variance",
    },
    "string": {
        PLAIN: "capwords",
    },
    "heapq": {
        STOPPABLE: "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
    },
    "bisect": {
        STOPPABLE: "bisect bisect_left bisect_right insort insort_left insort_right",
    },
    "fractions": {
        STOPPABLE: "Fraction",
    },
    "array": {
        PLAIN: "array",
    },
    "abc": {
        PLAIN: "ABC abstractmethod",
    },
    "operator": {
        OWN: "attrgetter matmul methodcaller",
        STOPPABLE: "contains countOf eq ge getitem gt indexOf itemgetter le lt ne",
        PLAIN: "abs add and_ floordiv iadd imul invert is_ is_not isub mod mul neg not_ or_ pos sub truediv truth xor",
    },
    "re": {
        STOPPABLE: "compile findall finditer fullmatch match search split sub subn",
        PLAIN: "A ASCII DOTALL I IGNORECASE M MULTILINE Match Pattern S U UNICODE VERBOSE X escape",
    },
    "json": {
        OWN: "dumps",
        PLAIN: "JSONDecodeError loads",
    },
    "datetime": {
        PLAIN: "date datetime time timedelta timezone",
    },
    "mathutils": {
        PLAIN: "Color Euler Matrix Quaternion Vector",
    },
    "mathutils.interpolate": {
        PLAIN: "poly_3d_calc",
    },
    "mathutils.kdtree": {
        OWN: "KDTree",
    },
    "mathutils.bvhtree": {
        PLAIN: "BVHTree",
    },
    "mathutils.noise": {
        OWN: "fractal hetero_terrain hybrid_multi_fractal multi_fractal random_unit_vector random_vector"
        " ridged_multi_fractal turbulence turbulence_vector",
        PLAIN: "cell cell_vector noise noise_vector random seed_set variable_lacunarity voronoi",
    },
    "mathutils.geometry": {
        OWN: "box_fit_2d box_pack_2d convex_hull_2d delaunay_2d_cdt interpolate_bezier points_in_planes"
        " tessellate_polygon",
        PLAIN: "area_tri barycentric_transform closest_point_on_tri distance_point_to_plane intersect_line_line"
        " intersect_line_line_2d intersect_line_plane intersect_line_sphere intersect_line_sphere_2d"
        " intersect_plane_plane intersect_point_line intersect_point_quad_2d intersect_point_tri"
        " intersect_point_tri_2d intersect_ray_tri intersect_sphere_sphere_2d intersect_tri_tri_2d normal"
        " volume_tetrahedron",
    },
    "numpy": {
        OWN: "arange argsort bartlett blackman broadcast_arrays broadcast_to convolve corrcoef correlate cov diff"
        " digitize dot einsum empty errstate eye fromfunction full geomspace hamming hanning identity in1d indices"
        " inner intersect1d isin kaiser kron lexsort linspace logspace matmul meshgrid ndarray ones outer"
        " polyfit polymul polyval repeat roots searchsorted set_printoptions setdiff1d setxor1d sort tensordot"
        " tile tri union1d unique zeros",
        STOPPABLE: "poly1d apply_along_axis fromiter ndenumerate ndindex piecewise select vectorize",
        SLOW: "array2string array_str histogram histogram2d histogramdd interp polyadd polyder polyint trim_zeros",
        MIDDLE: "argpartition argwhere average choose cross cumulative_sum delete divmod ediff1d extract float_power"
        " floor_divide fmod gcd histogram_bin_edges insert lcm logaddexp median mod nancumsum nanmedian"
        " nanpercentile nanprod nanquantile nanstd nanvar pad partition percentile pow power quantile remainder"
        " unwrap",
        PLAIN: "abs absolute acos add all allclose amax amin angle any append arccos arccosh arcsin arcsinh arctan"
        " arctan2 arctanh argmax argmin around array array_equal array_equiv array_split asanyarray asarray"
        " ascontiguousarray asfortranarray asin astype atan atan2 atleast_1d atleast_2d atleast_3d bincount"
        " bitwise_and bitwise_not bitwise_or bitwise_xor block bool bool_ broadcast_shapes cbrt ceil clip"
        " column_stack complex128 complex64 complexfloating compress concat concatenate conj conjugate copy"
        " copysign copyto cos cosh count_nonzero cumprod cumsum deg2rad degrees diag diag_indices diagflat"
        " diagonal divide double dstack dtype empty_like equal exp exp2 expand_dims expm1 fabs fill_diagonal"
        " finfo flatnonzero flip fliplr flipud float16 float32 float64 float_ floating floor fmax fmin frexp"
        " full_like generic gradient greater greater_equal heaviside hsplit hstack hypot iinfo imag inexact"
        " int16 int32 int64 int8 int_ intc integer intp invert isclose isfinite isinf isnan isneginf isposinf"
        " isreal isscalar ix_ left_shift less less_equal log log10 log1p log2 logical_and logical_not"
        " logical_or logical_xor max maximum mean min minimum modf moveaxis multiply nan_to_num nanargmax"
        " nanargmin nanmax nanmean nanmin nansum ndim negative nextafter nonzero number ones_like packbits"
        " permute_dims positive prod ptp put putmask rad2deg radians ravel ravel_multi_index real reciprocal"
        " require reshape resize right_shift rint roll rollaxis rot90 round row_stack shape sign signbit"
        " signedinteger sin sinc single sinh size split sqrt square squeeze stack std subtract sum swapaxes"
        " take tan tanh trace transpose trapezoid trapz tril tril_indices triu triu_indices true_divide trunc"
        " ufunc uint uint16 uint32 uint64 uint8 unpackbits unravel_index unsignedinteger unstack vander var"
        " vdot vsplit vstack where zeros_like",
    },
    "numpy.random": {
        OWN: "multivariate_normal normal rand randint randn random random_sample set_state standard_normal"
        " triangular uniform zipf",
        SLOW: "choice multinomial permutation",
        MIDDLE: "beta binomial chisquare dirichlet exponential gamma geometric laplace logistic lognormal pareto"
        " poisson power rayleigh shuffle standard_exponential standard_gamma standard_t vonmises wald weibull",
        PLAIN: "Generator RandomState default_rng get_state seed",
    },
    "numpy.linalg": {
        OWN: "cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_power matrix_rank multi_dot norm pinv"
        " qr slogdet solve svd tensorsolve",
        PLAIN: "LinAlgError cross",
    },
    "numpy.fft": {
        MIDDLE: "fft fft2 fftn ifft ifft2 ifftn irfft irfft2 rfft rfft2",
        PLAIN: "fftfreq fftshift ifftshift rfftfreq",
    },
}
"""By module and cost its functions and classes."""
METHODS: dict[str, dict[str, str]] = {
    "numpy.ndarray": {
        OWN: "argsort astype dot resize searchsorted sort tolist",
        MIDDLE: "argpartition choose partition",
        PLAIN: "T __len__ all any argmax argmin clip compress conj conjugate copy cumprod cumsum diagonal dtype fill"
        " flat flatten imag item itemsize max mean min nbytes ndim nonzero prod ptp put ravel real repeat"
        " reshape round shape size squeeze std strides sum swapaxes take tobytes trace transpose var",
    },
    "numpy.ufunc": {
        OWN: "at outer reduceat",
        PLAIN: "accumulate identity reduce types",
    },
    "numpy.random._generator.Generator": {
        OWN: "multivariate_normal zipf",
        SLOW: "choice multinomial permutation permuted",
        MIDDLE: "beta binomial chisquare dirichlet exponential gamma geometric laplace logistic lognormal pareto"
        " poisson power rayleigh shuffle standard_exponential standard_gamma standard_t vonmises wald weibull",
        PLAIN: "integers normal random standard_normal triangular uniform",
    },
    "numpy.random.mtrand.RandomState": {
        OWN: "multivariate_normal zipf",
        SLOW: "choice multinomial permutation",
        MIDDLE: "beta binomial chisquare dirichlet exponential gamma geometric laplace logistic lognormal pareto"
        " poisson power rayleigh shuffle standard_exponential standard_gamma standard_t vonmises wald weibull",
        PLAIN: "normal rand randint randn random random_sample seed standard_normal triangular uniform",
    },
}
"""By type and cost its methods, where not all of them are plain or stoppable."""


@cache
def cost(module: str, name: str) -> str | None:
    """What a function or class of a module costs; None where nobody has said it."""
    return next((cost for cost, names in COSTS.get(module, {}).items() if name in names.split()), None)


def named(module: str, cost: str) -> tuple[str, ...]:
    """The functions of a module that cost so."""
    return tuple(COSTS[module].get(cost, "").split())


def methods(kind: str, cost: str) -> tuple[str, ...]:
    """The methods of a type that cost so."""
    return tuple(METHODS[kind].get(cost, "").split())
