"""`reproduce`: runs made by processes of this machine or by a cluster, refused where memory would not do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pulink.distributed.cluster import n_local, working_on
from pulink.distributed.executor import Executor
from pulink.experiments.memory_needed import most_needed
from pulink.experiments.plan import RunSpec
from pulink.experiments.results import Results
from pulink.experiments.runner import Runner, State
from pulink.system.memory import require_memory

_WAY_OUT = "use fewer processes, or leave it out with --datasets or --methods"


@contextmanager
def runner_on(
    cluster: str | None, note: Callable[[str], object], jobs: int = 1
) -> Iterator[Callable[..., Runner]]:
    """Within the block, makes runners whose runs a cluster makes; None: so many processes of this machine.

    A run is a process of its own anyhow, so that `local:N` is N of them at once.
    """
    count = n_local(cluster)
    with working_on(cluster, idle=count is not None) as executor:

        def runner_of(results: Results, **settings: Any) -> Runner:
            if cluster is None:
                return Runner(results, jobs=jobs, **settings)
            if count is not None:
                return _Checked(results, None, jobs=count, **settings)
            return _Checked(results, executor, cluster=executor, note=note, **settings)

        yield runner_of


class _Checked(Runner):
    """Refuses a plan for which there is too little memory, before any run of it."""

    def __init__(self, results: Results, executor: Executor | None, **settings: Any) -> None:
        super().__init__(results, **settings)
        self._executor, self._n_jobs = executor, settings.get("jobs", 1)

    def work(self, plan: Iterable[RunSpec]) -> State:
        plan = list(plan)
        n_bytes, spec = most_needed(self.due(plan))
        if spec is not None:
            what = f"{spec.name} on {spec.dataset}"
            if self._executor is not None:
                self._executor.require(n_bytes, what, _WAY_OUT)
            else:
                at_once = f"{what}, {self._n_jobs} runs at once," if self._n_jobs > 1 else what
                require_memory(self._n_jobs * n_bytes, at_once, _WAY_OUT)
        return super().work(plan)
