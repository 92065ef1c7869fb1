"""No key, no model, no traffic: puts a person's own words in order by rules and never invents any.

It cannot answer free text, and fills only the roles distiller, spec_builder and, for a plan, builder. Whoever works
with it asks for a job by name with `answer(job, material)`:

    distill       messages: texts, resources: [{name, text}]                     → an intent
    propose       intent, answers: {id: text}, said: texts, templates: {kind: [{name, purpose}]}   → a proposal
    plan_section  section: {heading, purpose, slots}, intent, proposal           → a plan_section
    completeness  document                                                       → a completeness
"""

from __future__ import annotations

from thoughtforge.providers.builtin.model import BuiltinModel, Options, make
from thoughtforge.providers.builtin.sentences import NOT_SAID

__all__ = ["NOT_SAID", "BuiltinModel", "Options", "make"]
