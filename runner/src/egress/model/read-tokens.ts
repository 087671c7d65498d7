import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import { type JsonObject, objectOf } from './json-object.ts';
import type { ModelTokens } from './model-report.ts';

/** More than any response can use; a larger number is invalid. */
const MAX_TOKENS = 1_000_000_000;

export const NO_TOKENS: ModelTokens = {
  input: 0,
  cachedInput: 0,
  output: 0,
  reasoning: 0,
  total: 0,
};

/** Tokens from the usage object of a format; null when there are none. */
export function readTokens(wireApi: WireApi, usage: unknown): ModelTokens | null {
  const fields = objectOf(usage);
  if (fields === null) return null;
  switch (wireApi) {
    case 'responses':
      return ofResponses(fields);
    case 'chat':
      return ofChat(fields);
    case 'messages':
      return ofMessages(fields);
    case 'gemini':
      return ofGemini(fields);
  }
}

function ofResponses(usage: JsonObject): ModelTokens | null {
  const cachedInput = countIn(usage['input_tokens_details'], 'cached_tokens');
  const reasoning = countIn(usage['output_tokens_details'], 'reasoning_tokens');
  return tokens(usage, ['input_tokens', 'output_tokens'], (input, output) => ({
    input,
    cachedInput,
    output,
    reasoning,
  }));
}

/** Some providers exclude reasoning from `completion_tokens` and include it only in the total. */
function ofChat(usage: JsonObject): ModelTokens | null {
  const cachedInput =
    countIn(usage['prompt_tokens_details'], 'cached_tokens') ||
    countIn(usage, 'prompt_cache_hit_tokens') ||
    countIn(usage, 'cached_tokens');
  const reasoning = countIn(usage['completion_tokens_details'], 'reasoning_tokens');
  const total = countIn(usage, 'total_tokens');
  return tokens(usage, ['prompt_tokens', 'completion_tokens'], (input, output) => ({
    input,
    cachedInput,
    output: Math.max(output, total - input),
    reasoning,
  }));
}

/** In this format `input_tokens` excludes what is read from and written to the cache. */
function ofMessages(usage: JsonObject): ModelTokens | null {
  const cachedInput = countIn(usage, 'cache_read_input_tokens');
  const written = countIn(usage, 'cache_creation_input_tokens');
  return tokens(usage, ['input_tokens', 'output_tokens'], (input, output) => ({
    input: input + cachedInput + written,
    cachedInput,
    output,
    reasoning: 0,
  }));
}

/**
 * Thoughts are counted apart from the candidates, results of the provider's tools apart from the
 * prompt.
 */
function ofGemini(usage: JsonObject): ModelTokens | null {
  const cachedInput = countIn(usage, 'cachedContentTokenCount');
  const reasoning = countIn(usage, 'thoughtsTokenCount');
  const ofTools = countIn(usage, 'toolUsePromptTokenCount');
  return tokens(usage, ['promptTokenCount', 'candidatesTokenCount'], (input, output) => ({
    input: input + ofTools,
    cachedInput,
    output: output + reasoning,
    reasoning,
  }));
}

/** Null when both fields that every response has are missing. */
function tokens(
  usage: JsonObject,
  [inputName, outputName]: readonly [string, string],
  count: (input: number, output: number) => Omit<ModelTokens, 'total'>,
): ModelTokens | null {
  if (typeof usage[inputName] !== 'number' && typeof usage[outputName] !== 'number') return null;
  const counted = count(countIn(usage, inputName), countIn(usage, outputName));
  return {
    ...counted,
    cachedInput: Math.min(counted.cachedInput, counted.input),
    reasoning: Math.min(counted.reasoning, counted.output),
    total: counted.input + counted.output,
  };
}

function countIn(value: unknown, name: string): number {
  const count = objectOf(value)?.[name];
  const isCount = typeof count === 'number' && Number.isSafeInteger(count);
  return isCount && count >= 0 && count <= MAX_TOKENS ? count : 0;
}

/** Combines two reports of one response: each count only grows. */
export function latestTokens(before: ModelTokens, now: ModelTokens): ModelTokens {
  const input = Math.max(before.input, now.input);
  const output = Math.max(before.output, now.output);
  return {
    input,
    output,
    total: input + output,
    cachedInput: Math.max(before.cachedInput, now.cachedInput),
    reasoning: Math.max(before.reasoning, now.reasoning),
  };
}

export function plusTokens(one: ModelTokens, other: ModelTokens): ModelTokens {
  return combine(one, other, (a, b) => a + b);
}

/** The difference of two counts, at least zero. */
export function minusTokens(one: ModelTokens, other: ModelTokens): ModelTokens {
  return combine(one, other, (a, b) => Math.max(0, a - b));
}

function combine(
  one: ModelTokens,
  other: ModelTokens,
  value: (a: number, b: number) => number,
): ModelTokens {
  return {
    input: value(one.input, other.input),
    cachedInput: value(one.cachedInput, other.cachedInput),
    output: value(one.output, other.output),
    reasoning: value(one.reasoning, other.reasoning),
    total: value(one.total, other.total),
  };
}
