import { parse, YAMLError } from 'yaml';
import { z } from 'zod';
import { type ConfigEntry, canonicalEntries, schemaAt } from './values/canonical-entries.ts';
import type { ConfigProblem } from './config-store.ts';
import { type JsonObject, isJsonObject, structureProblem } from './values/json-object.ts';
import { takeEngineSettings } from './provider/take-engine-settings.ts';
import { mergeConfig, nestEntries } from './overlay/merge-config.ts';
import { innerSchema } from './schema/inner-schema.ts';
import { normalizeTrackerSection } from './normalize-tracker-section.ts';
import { withVariables } from './with-variables.ts';

const MAX_CHARACTERS = 1_048_576;

/**
 * The base file as the platform found it; `text` is null when the file exists but cannot be read.
 */
export type BaseFile = { name: string; format: 'workflow' | 'yaml'; text: string | null };

export type BaseLayer =
  | { ok: true; layer: JsonObject; problems: ConfigProblem[] }
  | { ok: false; problems: ConfigProblem[] };

export type ReadBaseFile = typeof readBaseFile;

/**
 * Reads WORKFLOW.md (front matter and prompt) or switchyard.yaml. Fails with
 * `missing_workflow_file`, `workflow_parse_error`, `workflow_front_matter_not_a_map` or
 * `invalid_value`, each of which blocks dispatch. Unknown keys are only warnings.
 */
export function readBaseFile(
  file: BaseFile,
  variables: Readonly<Record<string, string | undefined>>,
): BaseLayer {
  if (file.text === null) return failed('missing_workflow_file', `${file.name} cannot be read`);
  if (file.text.length > MAX_CHARACTERS) {
    return failed(
      'workflow_parse_error',
      `${file.name} is longer than ${MAX_CHARACTERS} characters`,
    );
  }
  const parts = file.format === 'yaml' ? { yaml: file.text, prompt: '' } : splitWorkflow(file.text);
  if (parts === null) {
    return failed('workflow_parse_error', `${file.name}: the front matter has no closing --- line`);
  }
  let content: unknown;
  try {
    content = parts.yaml.trim() === '' ? {} : (parse(parts.yaml, { logLevel: 'error' }) ?? {});
  } catch (error) {
    return failed('workflow_parse_error', `${file.name}: ${yamlTrouble(error)}`);
  }
  if (!isJsonObject(content)) {
    return failed(
      'workflow_front_matter_not_a_map',
      `${file.name}: the configuration is not a map`,
    );
  }
  return readContent(file.name, content, parts.prompt, variables);
}

function readContent(
  name: string,
  content: JsonObject,
  prompt: string,
  variables: Readonly<Record<string, string | undefined>>,
): BaseLayer {
  const refused = structureProblem(content);
  if (refused !== null) return failed('invalid_value', `${name}: the configuration ${refused}`);
  const replaced = withVariables(content, variables);
  const { entries, unknownKeys } = canonicalEntries(normalizeTrackerSection(replaced.value));
  const layer = nestEntries(entries.filter((entry) => !isLeftOut(entry)));
  const unused = takeEngineSettings(layer);
  if (prompt !== '' && layer['prompt'] === undefined) layer['prompt'] = prompt;
  const checked = mergeConfig([layer]);
  if (!checked.ok) {
    const [first] = checked.errors;
    return failed('invalid_value', `${name}: ${first?.path ?? ''}: ${first?.message ?? 'invalid'}`);
  }
  const warnings = [
    ...unused.map((what) =>
      warning('not_used', `${name}: ${what} is not used: runners start the engine in a container`),
    ),
    ...unknownKeys.map((key) => warning('unknown_key', `${name}: unknown key ${key}`)),
    ...replaced.missing.map((variable) =>
      warning('missing_variable', `${name}: $${variable} is not set, so its key is left out`),
    ),
  ];
  return { ok: true, layer, problems: warnings };
}

/**
 * The position and code of a YAML error; the parser's own message is not used because it repeats
 * the text.
 */
function yamlTrouble(error: unknown): string {
  if (!(error instanceof YAMLError)) return 'it is no YAML';
  const [at] = error.linePos ?? [];
  const where = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`;
  return `it is no YAML (${error.code})${where}`;
}

/** Whether an entry stands for its default: a key without a value, or empty text for an enum. */
function isLeftOut({ canonical, value }: ConfigEntry): boolean {
  if (value === null) return true;
  const schema = value === '' ? (schemaAt(canonical) ?? null) : null;
  return schema !== null && innerSchema(schema) instanceof z.ZodEnum;
}

/**
 * Splits WORKFLOW.md into front matter and prompt; there is front matter only if the first line is
 * `---`. Null if it is never closed.
 */
function splitWorkflow(text: string): { yaml: string; prompt: string } | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0] !== '---') return { yaml: '', prompt: lines.join('\n').trim() };
  const end = lines.indexOf('---', 1);
  if (end === -1) return null;
  return {
    yaml: lines.slice(1, end).join('\n'),
    prompt: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function failed(code: string, message: string): BaseLayer {
  const problem = {
    code,
    message,
    source: 'base',
    severity: 'error',
    blocksDispatch: true,
  } as const;
  return { ok: false, problems: [problem] };
}

function warning(code: string, message: string): ConfigProblem {
  return { source: 'base', code, message, severity: 'warning', blocksDispatch: false };
}
