import { type JsonObject, isJsonObject } from '../values/json-object.ts';

/** Engine settings that have an equivalent here, by the engine's own names. */
const KNOWN: Readonly<Record<string, string>> = {
  model: 'model',
  model_reasoning_effort: 'reasoningEffort',
};

/**
 * Converts engine settings of WORKFLOW.md, which may contain a start command and policies. Runners
 * start the engine in their own container, so only the command's model settings are used, where
 * nothing else sets them. Changes `layer`; returns what is ignored.
 */
export function takeEngineSettings(layer: JsonObject): string[] {
  const engine = layer['engine'];
  if (!isJsonObject(engine)) return [];
  const policy = isJsonObject(engine['turnSandboxPolicy']) ? engine['turnSandboxPolicy'] : {};
  const parts = Object.keys(policy).filter((key) => key !== 'type');
  return [
    ...takeCommand(engine).map((word) => `codex.command: ${word}`),
    ...parts.map((key) => `codex.turn_sandbox_policy.${key}`),
  ];
}

function takeCommand(engine: JsonObject): string[] {
  if (typeof engine['command'] !== 'string') return [];
  const [program = '', ...args] = wordsOf(engine['command']);
  const unused = /(^|\/)codex$/.test(program) ? [] : [program];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === 'app-server') continue;
    const [option, joined] = word.startsWith('--') ? splitAt(word) : [word];
    const isModel = option === '-m' || option === '--model';
    if (!isModel && option !== '-c' && option !== '--config') {
      unused.push(word);
      continue;
    }
    if (joined === undefined) at += 1;
    const value = joined ?? args[at] ?? '';
    const [name, setting = ''] = isModel ? ['model', value] : splitAt(value);
    const key = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
    if (key === undefined || setting === '') unused.push(`${option} ${value}`);
    else engine[key] ??= setting.replace(/^(["'])(.*)\1$/, '$2');
  }
  return unused;
}

function splitAt(word: string): [string, string?] {
  const at = word.indexOf('=');
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** Splits a command into words like a shell, with quotes; nothing is executed or expanded. */
function wordsOf(command: string): string[] {
  const shellWords: string[] = [];
  for (const [raw] of command.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/g)) {
    shellWords.push(
      raw.replace(
        /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g,
        (_, double?: string, single?: string, escaped?: string) =>
          double?.replace(/\\(.)/g, '$1') ?? single ?? escaped ?? '',
      ),
    );
  }
  return shellWords;
}
