// Preloaded into the command line. On Ctrl-C both the terminal and the bootstrap signal this
// process, and programs that treat a second signal as "now, by force" must see only one.
const repeatWindowMs = 1_000;
const once = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);
const lastAtMs = new Map();
const emit = process.emit.bind(process);

process.emit = function emitOnce(name, ...args) {
  if (!once.has(name)) return emit(name, ...args);
  const nowMs = performance.now();
  if (nowMs - (lastAtMs.get(name) ?? -Infinity) < repeatWindowMs) return true;
  lastAtMs.set(name, nowMs);
  return emit(name, ...args);
};
