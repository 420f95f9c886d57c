"""`python -m pulink.distributed.on_ray ADDRESS FOLDER`: the process of `driver`, which nodes find by its name."""

from pulink.distributed.on_ray.driver import main

main()
