// What the reporters of the JavaScript runners share: the pipe to the engine, and ids that tell a test's file.
const { closeSync, openSync, writeSync } = require("node:fs");
const { relative } = require("node:path");

const root = process.env.THOUGHTFORGE_ROOT;
const began = performance.now();
const pipe = alone(Number(process.env.THOUGHTFORGE_REPORT_FD));
const seen = new Map();

// A file opened here is not handed on to child processes, in which the tests run; an inherited one is.
function alone(fd) {
  try {
    const own = openSync(`/proc/self/fd/${fd}`, "w");
    closeSync(fd);
    return own;
  } catch {
    return fd;
  }
}

function send(fact) {
  let data = Buffer.from(JSON.stringify(fact) + "\n");
  while (data.length) {
    try {
      data = data.subarray(writeSync(pipe, data));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function end(code) {
  send({ fact: "end", code, seconds: (performance.now() - began) / 1000 });
}

const shown = (file) => relative(root, file);

// Two tests of one name are told apart by their order.
function id(path, names) {
  const name = `${path}::${names.join(" > ")}`;
  const count = (seen.get(name) ?? 0) + 1;
  seen.set(name, count);
  return count === 1 ? name : `${name} #${count}`;
}

// eslint-disable-next-line no-control-regex
const plain = (text) => String(text ?? "").replace(/\u001b\[[0-9;]*m/g, "").trim().slice(0, 2000);

// The first place of a file that a text names.
function line(path, text) {
  const at = text.match(new RegExp(`${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}:(\\d+)`));
  return at ? Number(at[1]) : 0;
}

module.exports = { send, end, shown, id, plain, line };
