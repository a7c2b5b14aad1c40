# expect: imports
import asyncio
