// Tells the engine what node's own runner does, one line of JSON per fact; the tests run in processes of their own.
import { resolve } from "node:path";
import telling from "./telling.cjs";

const { send, end, shown, id, plain, line } = telling;
const NAMED = /^(?:Uncaught )?\w*Error\b.*/m;
const open = new Map();
const printed = new Map();
const failures = new Map();

function said(error) {
  const cause = error?.cause ?? error;
  return plain(cause?.message === undefined ? cause : `${cause.name ?? "Error"}: ${cause.message}`);
}

// A file that fails as a whole did so before or beside its tests; why is only on its standard error.
function unreadable(file, error) {
  const text = plain((printed.get(file) ?? []).join("")) || said(error);
  const why = text.match(NAMED)?.[0] ?? said(error);
  send({ fact: "unreadable", path: shown(file), line: line(file, text), error: why, cause: "other", missing: "" });
}

function tell(data, failed) {
  const { file, name, nesting, details } = data;
  if (nesting === 0 && resolve(name) === file) return failed && unreadable(file, details.error);
  const inherited = details.error?.failureType === "subtestsFailed";
  if (details.type === "suite" && (!failed || inherited)) return;
  const path = shown(file);
  const own = id(path, [...(open.get(file) ?? []).slice(0, nesting), name]);
  // a test that failed by one of its parts failed for the same reason
  const error = failed ? (inherited && failures.get(`${file}:${nesting + 1}`)) || said(details.error) : "";
  if (failed) failures.set(`${file}:${nesting}`, error);
  const skipped = data.skip !== undefined || data.todo !== undefined;
  const place = line(file, String(details.error?.cause?.stack ?? "")) || data.line || 0;
  send({ fact: "collected", ids: [own] });
  send({
    fact: "result",
    id: own,
    when: "call",
    outcome: skipped ? "skipped" : failed ? "failed" : "passed",
    error,
    path,
    line: place,
    seconds: (details.duration_ms ?? 0) / 1000,
  });
}

export default async function* (events) {
  for await (const { type, data } of events) {
    if (type === "test:start") open.set(data.file, [...(open.get(data.file) ?? []).slice(0, data.nesting), data.name]);
    else if (type === "test:stderr") printed.set(data.file, [...(printed.get(data.file) ?? []).slice(-200), data.message]);
    else if (type === "test:pass" || type === "test:fail") tell(data, type === "test:fail");
  }
  end(0);
  yield "";
}
