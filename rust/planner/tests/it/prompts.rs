//! Prompts in many wordings, compared with what they ask for: preset, target, thing and every number, through one `check`.

use geonode_graph::documents::Context;
use geonode_planner::offline::{self, Options, Understood};
use geonode_planner::{PromptValue, Thing};

use crate::starter;

/// One expectation: `key=value`, where keys are `target` (`new`: the plan makes it), `thing` or a parameter.
fn holds(understood: &Understood, expectation: &str) -> Result<(), String> {
    let (key, wanted) = expectation.split_once('=').ok_or("an expectation is key=value")?;
    let found = match key {
        "target" if understood.cast.makes => "new".into(),
        "target" => understood.cast.target.clone(),
        "thing" => match &understood.cast.thing {
            Some(Thing::Itself) => "itself".into(),
            Some(Thing::Object(name) | Thing::Collection(name)) => name.clone(),
            Some(Thing::Shape(key, _)) => format!("shape:{key}"),
            None => "none".into(),
        },
        _ => match understood.values.get(key) {
            Some(PromptValue::Number(n)) => {
                let wanted: f64 = wanted.parse().map_err(|_| format!("{wanted} is not a number"))?;
                return if (n - wanted).abs() <= 1e-4 * wanted.abs().max(1e-3) {
                    Ok(())
                } else {
                    Err(format!("{key} is {n}"))
                };
            }
            Some(PromptValue::Choice(choice, _)) => choice.clone(),
            Some(PromptValue::Bool(b)) => b.to_string(),
            None => "-".into(),
        },
    };
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{key} is {found}"))
    }
}

fn check(context: &Context, prompt: &str, preset: &str, expectations: &[String]) -> Result<(), String> {
    let options = Options::default();
    let understood = offline::understand(prompt, context, &options)
        .map_err(|r| format!("{prompt}: refused, {}: {r}", r.code.as_str()))?;
    if understood.preset != preset {
        return Err(format!("{prompt}: read as {}", understood.preset));
    }
    for expectation in expectations {
        holds(&understood, expectation).map_err(|cause| format!("{prompt}: {expectation}, but {cause}"))?;
    }
    // Building the plan adds nothing to the reading; every fourth shows that it always can be built.
    if !prompt.len().is_multiple_of(4) {
        return Ok(());
    }
    offline::plan(prompt, context, &options)
        .map(|_| ())
        .map_err(|r| format!("{prompt}: no plan, {}: {r}", r.code.as_str()))
}

fn report(failures: &[String], total: usize, at_least: usize) {
    assert!(total >= at_least, "only {total} prompts were checked");
    assert!(
        failures.is_empty(),
        "{} of {total} prompts:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// `prompt | preset | key=value …`
#[test]
fn written_prompts_are_understood() {
    let context = starter();
    let (mut failures, mut total) = (Vec::new(), 0);
    for line in include_str!("../fixtures/prompts.txt")
        .lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
    {
        let mut parts = line.split(" | ");
        let (prompt, preset) = (parts.next().unwrap(), parts.next().unwrap_or_default().trim());
        let expectations: Vec<String> = parts
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        total += 1;
        failures.extend(check(&context, prompt, preset, &expectations).err());
    }
    report(&failures, total, 130);
}

/// `prompt | code`
#[test]
fn refusals_have_the_expected_codes() {
    let context = starter();
    let (mut failures, mut total) = (Vec::new(), 0);
    for line in include_str!("../fixtures/refusals.txt")
        .lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
    {
        let (prompt, codes) = line.split_once(" | ").unwrap();
        total += 1;
        match offline::plan(prompt, &context, &Options::default()) {
            Ok(plan) => failures.push(format!("{prompt}: planned: {}", plan["final_message"])),
            Err(refusal) if !codes.split_whitespace().any(|code| code == refusal.code.as_str()) => {
                failures.push(format!(
                    "{prompt}: {} instead of {codes}: {refusal}",
                    refusal.code.as_str()
                ));
            }
            Err(refusal) => assert!(refusal.message.len() > 30, "{refusal}"),
        }
    }
    report(&failures, total, 100);
}

/// Wording from principles: every opening with every thing, place and way of saying the numbers.
struct Phrases {
    failures: Vec<String>,
    total: usize,
    context: Context,
}

impl Phrases {
    fn try_all(&mut self, preset: &str, prompts: impl IntoIterator<Item = (String, String)>) {
        for (prompt, expected) in prompts {
            let expectations: Vec<String> = expected.split_whitespace().map(str::to_owned).collect();
            self.total += 1;
            self.failures
                .extend(check(&self.context, &prompt, preset, &expectations).err());
        }
    }
}

fn product<'a>(parts: &[&[(&'a str, &'a str)]]) -> Vec<(String, String)> {
    let mut all = vec![(String::new(), String::new())];
    for part in parts {
        all = all
            .iter()
            .flat_map(|(text, expected)| {
                part.iter()
                    .map(move |(t, e)| (format!("{text}{t}"), format!("{expected} {e}")))
            })
            .collect();
    }
    all
}

const COUNTS: &[(&str, &str)] = &[
    ("7 ", "count=7"),
    ("twelve ", "count=12"),
    ("a dozen ", "count=12"),
    ("two hundred and fifty ", "count=250"),
    ("1,500 ", "count=1500"),
];
const THINGS: &[(&str, &str)] = &[
    ("rocks", "thing=Rock"),
    ("cubes", "thing=Cube"),
    ("copies of Suzanne", "thing=Suzanne"),
    ("trees", "thing=shape:cone"),
];

#[test]
fn paraphrases_are_understood() {
    let mut phrases = Phrases {
        failures: Vec::new(),
        total: 0,
        context: starter(),
    };
    let opening = &[
        ("scatter ", ""),
        ("please sprinkle ", ""),
        ("randomly distribute ", ""),
        ("I want you to strew ", ""),
    ];
    let place = &[
        (" on the plane", "target=Plane"),
        (" over the ground", "target=Plane"),
        (" across the sphere", "target=Sphere"),
    ];
    phrases.try_all("scatter", product(&[opening, COUNTS, THINGS, place]));
    let cover = &[("cover ", ""), ("populate ", ""), ("fill ", "")];
    let whole = &[
        ("the plane with ", "target=Plane"),
        ("the sphere with ", "target=Sphere"),
    ];
    let tail = &[
        ("", ""),
        (", seed 5", "seed=5"),
        (", at least 30 cm apart", "distance=0.3"),
        (", scaled between 0.5 and 1.5", "scale_min=0.5 scale_max=1.5"),
    ];
    phrases.try_all("scatter", product(&[cover, whole, COUNTS, THINGS, tail]));

    let selves = &[
        ("cubes", "target=Cube thing=itself"),
        ("spheres", "target=Sphere thing=itself"),
    ];
    let line = &[
        (" in a row", ""),
        (" in a straight line along y", "direction=y"),
        (" lined up along the z axis", "direction=z"),
        (" in a line in the negative x direction", "direction=-x"),
    ];
    let spacing = &[
        ("", ""),
        (", 2 m apart", "spacing=2"),
        (" with a spacing of 150 cm", "spacing=1.5"),
        (" with 20 cm gaps", "gap=0.2"),
        (" with 6 feet between them", "spacing=1.8288"),
    ];
    let verbs = &[("place ", ""), ("make ", ""), ("create ", "")];
    phrases.try_all("array_line", product(&[verbs, COUNTS, selves, line, spacing]));
    let repeat = &[
        ("array the cube ", "target=Cube"),
        ("repeat the cube ", "target=Cube"),
        ("duplicate Suzanne ", "target=Suzanne"),
    ];
    let times = &[
        ("8 times", "count=8"),
        ("five times", "count=5"),
        ("twenty times", "count=20"),
    ];
    let along = &[
        (" along x", "direction=x"),
        (" along the y axis", "direction=y"),
        (" upwards", "direction=z"),
    ];
    let every = &[
        (" every 1.5 m", "spacing=1.5"),
        (" with a distance of 3 metres", "spacing=3"),
        (" at 40 cm intervals", "spacing=0.4"),
    ];
    phrases.try_all("array_line", product(&[repeat, times, along, every]));

    let sides = &[
        ("5 by 4 ", "columns=5 rows=4"),
        ("3x3 ", "columns=3 rows=3"),
        ("six by two ", "columns=6 rows=2"),
    ];
    let grids = &[
        ("grid of cubes", "target=Cube"),
        ("grid of spheres", "target=Sphere"),
        ("array of rocks", "target=Rock"),
    ];
    let apart = &[
        ("", ""),
        (", 3 m apart", "spacing=3"),
        (" with 250 cm spacing", "spacing=2.5"),
    ];
    phrases.try_all(
        "grid",
        product(&[
            &[("make a ", ""), ("create a ", ""), ("I need a ", "")],
            sides,
            grids,
            apart,
        ]),
    );

    let ring = &[(" in a circle", ""), (" in a ring", ""), (" around a circle", "")];
    let radius = &[
        ("", ""),
        (" with a radius of 5 m", "radius=5"),
        (", radius 300 cm", "radius=3"),
        (" with a diameter of 8 m", "diameter=8"),
        (" of radius 2.5", "radius=2.5"),
    ];
    phrases.try_all(
        "ring",
        product(&[
            &[("arrange ", ""), ("put ", ""), ("place ", "")],
            COUNTS,
            selves,
            ring,
            radius,
        ]),
    );

    let curve = &[
        (" along the curve", "target=Curve"),
        (" along Curve", "target=Curve"),
        (" along the path", "target=Curve"),
    ];
    phrases.try_all(
        "along_curve",
        product(&[
            &[("place ", ""), ("distribute ", ""), ("instance ", "")],
            COUNTS,
            THINGS,
            curve,
        ]),
    );
    let one = &[
        ("a cube ", "thing=Cube"),
        ("a rock ", "thing=Rock"),
        ("a post ", "thing=shape:cylinder"),
    ];
    let step = &[
        ("every 0.5 m", "spacing=0.5"),
        ("every two metres", "spacing=2"),
        ("every 25 cm", "spacing=0.25"),
    ];
    phrases.try_all(
        "along_curve",
        product(&[&[("put ", ""), ("set ", "")], one, step, curve]),
    );

    let tube = &[
        ("turn the curve into a tube", ""),
        ("make a pipe from the curve", ""),
        ("convert the spline to a cable", ""),
        ("give the curve thickness", ""),
    ];
    let girth = &[
        ("", ""),
        (" with a radius of 10 cm", "radius=0.1"),
        (", 20 cm in diameter", "diameter=0.2"),
        (" with radius 0.25", "radius=0.25"),
        (", 4 inches thick", "diameter=0.1016"),
    ];
    let caps = &[
        ("", ""),
        (" and without caps", "caps=false"),
        (", open ends", "caps=false"),
    ];
    phrases.try_all("curve_to_tube", product(&[tube, girth, caps]));

    let noise = &[
        ("displace the plane with noise", "target=Plane"),
        ("add noise displacement to the sphere", "target=Sphere"),
        ("roughen the cube", "target=Cube"),
    ];
    let strength = &[
        ("", ""),
        (" by 0.5 m", "strength=0.5"),
        (" with a strength of 20 cm", "strength=0.2"),
        (", strength 0.3", "strength=0.3"),
    ];
    phrases.try_all(
        "noise_displace",
        product(&[
            noise,
            strength,
            &[("", ""), (", seed 9", "seed=9"), (", noise scale 4", "scale=4")],
        ]),
    );

    let wire = &[
        ("turn the cube into a wireframe", "target=Cube"),
        ("make a wireframe of the sphere", "target=Sphere"),
        ("show Suzanne as a wireframe", "target=Suzanne"),
    ];
    let bars = &[
        ("", ""),
        (" with a thickness of 5 cm", "thickness=0.05"),
        (", 2 cm thick", "thickness=0.02"),
        (" with wires of 1 cm radius", "radius=0.01"),
    ];
    phrases.try_all("wireframe", product(&[wire, bars]));

    let sub = &[
        ("subdivide the cube", "target=Cube"),
        ("Subdivide Suzanne", "target=Suzanne"),
        ("tessellate the sphere", "target=Sphere"),
    ];
    let levels = &[
        ("", ""),
        (" twice", "levels=2"),
        (" 3 times", "levels=3"),
        (", two levels", "levels=2"),
        (" with level 4", "levels=4"),
    ];
    phrases.try_all(
        "subdivide",
        product(&[
            sub,
            levels,
            &[
                ("", ""),
                (" with smoothing", "smooth=true"),
                (" without smoothing", "smooth=false"),
            ],
        ]),
    );

    let extrude = &[
        ("extrude the faces of the cube", "target=Cube"),
        ("extrude every face of the sphere", "target=Sphere"),
        ("push out all faces of Suzanne", "target=Suzanne"),
    ];
    let far = &[
        (" by 0.5 m", "distance=0.5"),
        (" by 20 cm", "distance=0.2"),
        (" by half a metre", "distance=0.5"),
    ];
    phrases.try_all(
        "extrude",
        product(&[
            extrude,
            far,
            &[
                ("", ""),
                (" individually", "individual=true"),
                (" as one region", "individual=false"),
            ],
        ]),
    );
    let Phrases { failures, total, .. } = phrases;
    report(&failures, total, 1200);
}
