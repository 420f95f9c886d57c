"""`python -m pulink.distributed.on_ray ADDRESS`: the process of `driver`, which nodes find by its name."""

from pulink.distributed.on_ray.driver import main

main()
