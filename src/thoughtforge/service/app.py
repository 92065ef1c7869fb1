"""What every use case is handed: where things are, who asks, and the clock. Made in assembly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from thoughtforge.settings.config import Loaded
from thoughtforge.settings.environment import Machine
from thoughtforge.settings.trust import TrustStore
from thoughtforge.store.home import Home
from thoughtforge.store.port import Store
from thoughtforge.store.secrets import Masker
from thoughtforge.testing.access import PackageIndex

if TYPE_CHECKING:  # most commands run nothing
    from thoughtforge.agent.run import Run


@dataclass(frozen=True)
class App:
    """One invocation of ThoughtForge."""

    store: Store
    """The tasks."""
    home: Home
    """This machine's folder: configuration, projects, environments, what is remembered. Tasks are in the store."""
    cwd: Path
    user_home: Path
    """The person's own home, where git finds who they are."""
    user_folder: Path
    who: str
    program: str
    search_path: str
    clock: Callable[[], str]
    stopwatch: Callable[[], float]
    new_word: Callable[[], str]
    """Four random letters and digits."""
    packages: Callable[[], PackageIndex]
    """How packages are fetched, asked for only when a set-up needs it."""
    trust: TrustStore
    """What the person has trusted of the settings in repositories."""
    settings: Callable[[Home, TrustStore], Loaded]
    """Reads the configuration; a home that is not there yet is made for it."""
    open_run: Callable[..., AbstractAsyncContextManager[Run]]
    """Puts together what the drivers of one run work with: `open_run` of the assembly."""
    secret: Callable[[str], str | None]
    known_secrets: Mapping[str, str]
    desktop: Mapping[str, str] = field(default_factory=dict)
    """What a program that shows something on the person's screen needs."""

    @cached_property
    def loaded(self) -> Loaded:
        """The configuration, read once; without the settings that nobody has trusted."""
        return self.settings(self.home, self.trust)

    def anew(self) -> App:
        """The same invocation with the configuration as it is now."""
        return replace(self)

    def require_trust(self) -> None:
        """Stop before anything is done when settings this command needs are not trusted."""
        self.loaded.trust.require()

    @property
    def machine(self) -> Machine:
        """What providers, connectors and notifiers may know."""
        return Machine(
            secret=self.secret,
            base=self.loaded.path.parent,
            person=self.user_home,
            search_path=self.search_path,
            homes=self.home.agents,
            allow_weak=self.loaded.config.sandbox.allow_weak,
            desktop=self.desktop,
        )

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The variables the configuration names as secrets, trusted or not: that can only hide more."""
        config = self.loaded.declared
        entries = (config.providers, config.connectors, config.notifications.channels)
        settings = [item for entry in entries for one in entry.values() for item in one.items()]
        named = (str(value or "") for key, value in settings if key.endswith("_env"))
        return (*config.secrets.variables, config.discovery.github_token_env, *named)

    @cached_property
    def masker(self) -> Masker:
        """Masks every secret known by name or by value."""
        found = {name: value for name in self.secret_names if name and (value := self.secret(name))}
        return Masker.of({**self.known_secrets, **found})
