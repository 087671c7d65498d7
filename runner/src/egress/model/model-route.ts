import { splitOnce } from '@switchyard/shared/model-providers/upstream-url';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/** One request that an engine may send to a model provider. */
export type ModelRoute = {
  /** Formats to whose providers this path belongs. */
  wireApis: readonly WireApi[];
  /** The model answers, so that tokens are used; otherwise it is a list or a count. */
  asksModel: boolean;
};

type Rule = ModelRoute & { method: 'GET' | 'POST'; path: RegExp };

/** A name of nothing but dots would lead out of its folder. */
const NAME = '(?!\\.+$)[A-Za-z0-9._:-]{1,200}';

/** What an engine may ask of a provider, and nothing else. */
const rules: readonly Rule[] = [
  {
    method: 'POST',
    path: /^\/v1\/responses(\/compact)?$/,
    wireApis: ['responses'],
    asksModel: true,
  },
  { method: 'POST', path: /^\/v1\/chat\/completions$/, wireApis: ['chat'], asksModel: true },
  { method: 'POST', path: /^\/v1\/messages$/, wireApis: ['messages'], asksModel: true },
  {
    method: 'POST',
    path: /^\/v1\/messages\/count_tokens$/,
    wireApis: ['messages'],
    asksModel: false,
  },
  {
    method: 'GET',
    path: new RegExp(`^/v1/models(/${NAME})?$`),
    wireApis: ['responses', 'chat', 'messages'],
    asksModel: false,
  },
  {
    method: 'POST',
    path: new RegExp(`^/v1beta/models/${NAME}:(streamGenerateContent|generateContent)$`),
    wireApis: ['gemini'],
    asksModel: true,
  },
  {
    method: 'POST',
    path: new RegExp(`^/v1beta/models/${NAME}:countTokens$`),
    wireApis: ['gemini'],
    asksModel: false,
  },
  {
    method: 'GET',
    path: new RegExp(`^/v1beta/models(/${NAME})?$`),
    wireApis: ['gemini'],
    asksModel: false,
  },
];

/** What a request asks; null when no engine may ask that. `target` is path and query. */
export function modelRoute(method: string, target: string): ModelRoute | null {
  const [path = ''] = target.split('?', 1);
  return rules.find((rule) => rule.method === method && rule.path.test(path)) ?? null;
}

/** Parameters under which providers take a key; in an address it would end up in logs. */
const KEY_PARAMETERS: ReadonlySet<string> = new Set(['key', 'api_key', 'api-key', 'access_token']);

/** True when a request carries a credential in its address. */
export function hasKeyInQuery(target: string): boolean {
  const [, query] = splitOnce(target, '?');
  const names = [...new URLSearchParams(query ?? '').keys()];
  return names.some((name) => KEY_PARAMETERS.has(name.toLowerCase()));
}
