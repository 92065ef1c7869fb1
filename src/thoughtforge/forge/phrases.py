"""Verdicts in words: ready to approve, needs revision, and what a negation or a condition makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Opinion = Literal["refused", "approved", "doubtful"]


class PhrasedVerdict(NamedTuple):
    """An opinion and the sentences it stands in."""

    opinion: Opinion
    told: str


REFUSAL = re.compile(
    r"\b(?:(?:needs?|needed|requires?|required|demands?|warrants?|calls? for)\s+(?:\w+\s+){0,3}?"
    r"(?:revisions?|revising|rework(?:ing)?|changes|work|another (?:round|pass)"
    r"|to be (?:revised|reworked|redone|rewritten))"
    r"|(?:must|should|has to|have to|ought to)\s+(?:\w+\s+)?be\s+(?:\w+\s+)?"
    r"(?:revised|reworked|redone|rewritten|rejected)"
    r"|please (?:revise|rework|redo)"
    r"|revise (?:and|then) (?:resubmit|re-?audit)|(?:changes|revisions?) (?:are |is )?(?:requested|required|needed)"
    r"|request(?:ing|s)? changes|send (?:it|this|the plan) back|no-go|unready"
    r"|(?:plan|it|this) is (?:rejected|refused|unacceptable)|i (?:must |have to )?reject|reject (?:this|the) plan"
    r"|(?:must|has to|have to|needs? to) (?:first )?be (?:added|addressed|corrected|fixed|removed|repaired|resolved)"
    r"|block(?:s|ed|ing) approval|(?:there (?:is|are)|has|have|found|contains?|remain(?:s|ing)?)\s+"
    r"(?:(?!no\b|not\b|zero\b|without\b)\w+\s+){0,3}?blocking (?:issues?|concerns?|problems?|findings?))\b"
)
APPROVAL = re.compile(
    r"\b(?:ready (?:to (?:be )?(?:approved?|implement(?:ed)?|ship(?:ped)?|merged?)|for (?:approval|implementation))"
    r"|i(?: would| can| do)? approve(?=[ \t]*(?:$|[.,;:!]|it\b|this\b|the (?:\w+ )?plan\b))"
    r"|approve (?:this|the) plan|approve it|lgtm|ship it|good to go"
    r"|(?:plan|it|this) (?:is|can be|may be|should be) approved|(?:plan|everything|it all) looks good"
    r"|pass(?:es)? (?:the |this )?audit|no (?:\w+ )?blocking (?:issues?|concerns?|problems?|findings?)"
    r"(?=[ \t]*(?:$|[.,;:!)])|(?: (?:were|was|are))? (?:found|identified|here|in|left|noted|remain)"
    r"|[ \t]+(?:and|so)\b))",
    re.MULTILINE,
)
NEVER_READY = re.compile(
    r"(?:\b(?:not|never|hardly|cannot|far from|nowhere near"
    r"|(?:is|are|was|do|does|did|wo|ca)nt)\b|n't\b)[^.,;:!?\n]{0,40}\b(?:ready|acceptable|approved?)\b"
)
HINT = re.compile(
    r"approv|revis|rework|redo|rewrit|reject|refus|ready|blocking|verdict|decision|conclusion|recommendation"
    r"|changes|another|work|lgtm|ship|good|send|no-go|acceptable|pass|fail|audit"
)
LABEL = re.compile(r"\b(?:verdict|decision|conclusion|recommendation)[ \t]*[:=—–-]+[ \t]*(?P<told>[^\n]{1,120})")
ALONE = re.compile(
    r"^[^\w\n]*(?P<told>approved?(?: with (?:minor )?(?:comments|suggestions|notes|remarks|findings))?"
    r"|lgtm|pass(?:ed)?|ship it|reject(?:ed)?|fail(?:ed)?)[^\w\n]*$",
    re.M,
)
YES = re.compile(
    r"(?:approved?|accepted|pass(?:ed|es)?|go|lgtm|ready|ok(?:ay)?|clean|ship it)"
    r"(?=\s*(?:$|[.,;:!(\[—–✅]|-\s)|\s+(?:with|as|this|once|if|when|until|provided|after|subject|pending)\b)"
)
FAVOUR = re.compile(r"\b(?:approved?|accept(?:ed)?|pass(?:ed)?|ready|go|ship)\b")
NO = re.compile(
    r"(?:reject(?:ed)?|fail(?:ed|s)?|no[- ]go|revis(?:e|ion)|refused?|denied|blocked|unready|disapproved?|unapproved)\b"
)
NEGATION = re.compile(
    r"\b(?:not(?! only\b)|no(?! doubt\b)|never|cannot|cant|hardly|barely|scarcely|neither|nor|nothing|nobody|none"
    r"|without|far from|anything but|yet to|unable|fails? to|refused?|unlikely|nowhere|disagree\w*|too early|premature"
    r"|(?<!no )doubt\w*|hesita\w+|reluctan\w+|ain't|(?:is|are|was|do|does|did|would|should|could|wo|ca)nt)\b|n't\b"
)
DIRECTLY_NEGATED = re.compile(
    r"(?:(?:\b(?:not|never)|n't)\s+(?!(?:just|merely|only|simply)\b)(?:\w+\s+){0,2}"
    r"|\b(?:no|nothing)\s+(?!doubt|question|wonder)(?:\w+\s+)?)$"
)
INSERTED = re.compile(r"\b(?:not|never)\s*,[^,.]*,\s*(?:\w+\s+)?$")
"""It is not, in my view, ready."""
CONDITION = re.compile(
    r"\b(?:once|if|when|unless|until|till|provided|assuming|as soon as|subject to|pending|almost|nearly"
    r"|would be|could be|after (?:\w+ing|the|these|those|this|that))\b"
)
CLAUSE = re.compile(r"[,;:()]|\s[-–—]\s|\b(?:and|but|so|because|hence|therefore|however|although|though)\b")
END = re.compile(r"[.!?](?=\s|$)|[\n;]")
BARE = str.maketrans("", "", "*_`")
DOUBT = re.compile(
    r"\b(?:aside|almost|apart|at first|basically|before|besides|bugs?|but|careless\w*|caveats?|claim\w*|concern\w*"
    r"|could|critical\w*|danger\w*|delet\w*|depend\w*|early|eventually|except\w*|expect\w*|fail\w*|false|fix\w*"
    r"|generally|hard to|high|hope\w*|however|if|in (?:general|parts|principle|theory)|issues?|lacks?|largely|later"
    r"|loses?|loss|lost|major|maybe|might|minus|missing|modulo|mostly|must|needs?|nearly|nobody|on paper|once|only if"
    r"|other than|otherwise|ought|partly|perhaps|possibly|premature\w*|pretend\w*|probably|problem\w*|provided|rejected"
    r"|reserv\w*|risks?|risky|save for|serious|severe|should|soon|so far|still|though|although|tomorrow|unless"
    r"|unfortunately|unsure|untrue|wants?|will|wish\w*|worr\w*|would have|wrong|yet)\b|[❌✗✘🚫⛔👎🛑🔴⚠☐]|\[ \]|~~|\?"
)
"""What makes an approval doubtful wherever it stands in the sentence."""
UNCONCERNED = re.compile(
    r"\b(?:no|without|zero)\s+(?:(?:any|further|more|open|other|remaining|major|high|serious|critical)\s+)*"
    r"(?:doubts?|hesitation|concerns?|issues?|problems?|risks?|reservations?|fixes|caveats?|bugs?)\b|\bnot only\b"
    r"|\bplan (?:should|can|may) be approved\b"
)
"""What sounds like a doubt and is none."""
UNSAID = re.compile(r"^\s*[:=—–-]*[>\s]*(?:no|none|not|never|nope|false|n|denied|refused|rejected)\b|\bno\W*$")
"""Behind a phrase that is a question on a form: Ready to approve: no."""
SUBJECT = re.compile(
    r"\b(?:the|this|my|our|that)\s+(?:[\w-]+\s+)?(?:plan|draft|document|version|proposal|revision|text)\b"
)
HARMLESS = """
a absolutely all already also am and approving are as be been being believe can certainly change clearly complete
completely conclude conclusion consider decision definitely do doubt everything finally find fine found fully glad
good happy has have hence hereby i in indeed is it it's its itself judge judgement judgment may me my no now of ok
okay only opinion our overall plan please raise recommend recommendation result say see so sound stands status that
the there thereby therefore think this thus to truly verdict view we well whole with would yes you
"""
"""Words before an approval that take nothing away from it; beside any other it is doubtful."""
HOWEVER = re.compile(
    r"(?:^|[.!;\n])[\s>*-]*(?:but|however|except|apart from|that said|unfortunately|nevertheless|still,|yet,)(?!\w)"
)
"""A sentence that takes back what stands before it."""
WRAPPED = re.compile(r"(?<=[^\s.:!?;])[ \t]*\r?\n[ \t]*(?=[a-z])")
"""Where a line goes on below."""
REACH = 300
"""How far a sentence is looked at on both sides of a phrase."""


def opinion(text: str) -> PhrasedVerdict | None:
    """What the phrases of a text amount to; one refusal outweighs every approval, and one doubt too.

    None when there is nothing but doubt: only an approval that nothing is said against is one.
    """
    plain = WRAPPED.sub(" ", text.replace("’", "'").translate(BARE))
    small = plain.lower()
    if len(small) != len(plain):
        plain = small
    if not HINT.search(small):
        return None
    found: set[Opinion] = set()
    for one in _opinions(small):
        if one.opinion == "refused":
            return PhrasedVerdict("refused", _around(plain, one.at))
        found.add(one.opinion)
    doubt = "doubtful" in found or not found or HOWEVER.search(small)
    return None if doubt else PhrasedVerdict("approved", "")


class PlacedOpinion(NamedTuple):
    """An opinion and where it stands."""

    opinion: Opinion
    at: int


def _opinions(text: str) -> Iterator[PlacedOpinion]:
    for phrase in _stated(REFUSAL, text):
        yield PlacedOpinion(_refusal(_before(text, phrase.start()), _after(text, phrase.end())), phrase.start())
    for phrase in _stated(NEVER_READY, text):
        yield PlacedOpinion("refused", phrase.start())
    for phrase in _stated(APPROVAL, text):
        yield PlacedOpinion(_approval(_before(text, phrase.start()), _after(text, phrase.end())), phrase.start())
    for label in LABEL.finditer(text):
        if said := _labelled(re.sub(r"^[^\w]+", "", label["told"]).strip()):
            yield PlacedOpinion(
                "doubtful" if said == "approved" and DOUBT.search(label["told"]) else said, label.start()
            )
    for alone in ALONE.finditer(text):
        said = "refused" if NO.match(alone["told"]) else "doubtful" if DOUBT.search(alone.group()) else "approved"
        yield PlacedOpinion(said, alone.start("told"))


def _stated(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The phrases that no question asks."""
    return (phrase for phrase in pattern.finditer(text) if not _is_question(text, phrase.end()))


def _labelled(told: str) -> Opinion | None:
    """What stands behind `Verdict:`."""
    if NO.search(told) or (NEGATION.match(told) and FAVOUR.search(told)):
        return "refused"
    if YES.match(told):
        return "refused" if CONDITION.search(told) or NEGATION.search(told) else "approved"
    return None


def _refusal(before: str, after: str) -> Opinion:
    """A refusal that is denied is an approval, when nothing else is said."""
    if not DIRECTLY_NEGATED.search(before):
        return "refused"
    twice = len(NEGATION.findall(CLAUSE.split(before)[-1])) > 1
    return "doubtful" if twice or DOUBT.search(UNCONCERNED.sub("", f"{before} {after}")) else "approved"


def _approval(before: str, after: str) -> Opinion:
    clause = CLAUSE.split(before)[-1]
    if NEGATION.search(clause) or INSERTED.search(before) or CONDITION.search(before) or CONDITION.search(after):
        return "refused"
    if UNSAID.search(after):
        return "refused"
    words = re.findall(r"[^\W\d_][\w']*", SUBJECT.sub("", clause))
    if not set(HARMLESS.split()).issuperset(words) or DOUBT.search(UNCONCERNED.sub("", f"{before} \0 {after}")):
        return "doubtful"
    return "approved"


def _around(text: str, at: int) -> str:
    """The paragraph around a place, as far as it is near."""
    near, after = text[max(0, at - REACH) : at], text[at : at + REACH]
    paragraph = f"{near.rpartition(chr(10) * 2)[2]}{after.partition(chr(10) * 2)[0]}"
    return " ".join(paragraph.split()).strip("#> -")


def _before(text: str, at: int) -> str:
    """What stands before a place in its sentence."""
    near = text[max(0, at - REACH) : at]
    ends = [found.end() for found in END.finditer(near)]
    return near[ends[-1] if ends else 0 :]


def _after(text: str, at: int) -> str:
    near = text[at : at + REACH]
    found = END.search(near)
    return near[: found.start()] if found else near


def _is_question(text: str, at: int) -> bool:
    found = END.search(text, at, at + REACH)
    return found is not None and found.group() == "?"
