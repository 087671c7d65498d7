import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/**
 * Engine that a runner starts if the configuration names none, and the only one of older runners.
 */
export const DEFAULT_ENGINE = 'codex';

/** Wire formats of model providers that this service's engines support. */
const FORMATS: Readonly<Record<string, readonly WireApi[]>> = {
  [DEFAULT_ENGINE]: ['responses'],
  claude: ['messages'],
  opencode: ['responses', 'chat', 'messages', 'gemini'],
};

/** The engine that a setting means; left out or null: the default one. */
export function engineName(name: string | null | undefined): string {
  return name ?? DEFAULT_ENGINE;
}

/** Wire formats that an engine supports; null for an engine that only a runner knows. */
function engineFormats(name: string | undefined): readonly WireApi[] | null {
  const engine = engineName(name);
  return Object.hasOwn(FORMATS, engine) ? (FORMATS[engine] ?? null) : null;
}

/** Agent engines that support a wire format, the default one first. */
export function enginesFor(wireApi: WireApi): string[] {
  return Object.keys(FORMATS).filter((name) => FORMATS[name]?.includes(wireApi));
}

/**
 * Why an engine cannot use a provider's wire format, for people; null when it can, or that is
 * unknown.
 */
export function formatProblem(name: string | undefined, wireApi: WireApi): string | null {
  const formats = engineFormats(name);
  if (formats === null || formats.includes(wireApi)) return null;
  const names = formats.map((format) => `"${format}"`).join(' or ');
  return `must be ${names}: the agent engine ${engineName(name)} does not speak "${wireApi}"`;
}
