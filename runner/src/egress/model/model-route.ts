import { splitOnce } from '@switchyard/shared/model-providers/upstream-url';
import type { WireApi } from '@switchyard/shared/model-providers/wire-api';

/** A kind of request that an engine may send to a model provider. */
export type ModelRoute = {
  /** Wire formats of the providers that have this path. */
  wireApis: readonly WireApi[];
  /** Whether a model responds and tokens are used; otherwise it is a list or a count. */
  asksModel: boolean;
};

type Rule = ModelRoute & { method: 'GET' | 'POST'; path: RegExp };

/** A name of only dots would leave its folder. */
const NAME = '(?!\\.+$)[A-Za-z0-9._:-]{1,200}';

/** The only requests that engines may send to a provider. */
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

/** The kind of a request; null when engines may not send it. `target` is path and query. */
export function modelRoute(method: string, target: string): ModelRoute | null {
  const [path = ''] = target.split('?', 1);
  return rules.find((rule) => rule.method === method && rule.path.test(path)) ?? null;
}

/** Query parameters in which providers accept a key, which would then appear in logs. */
const KEY_PARAMETERS: ReadonlySet<string> = new Set(['key', 'api_key', 'api-key', 'access_token']);

/** Whether a request has a credential in its url. */
export function hasKeyInQuery(target: string): boolean {
  const [, query] = splitOnce(target, '?');
  const names = [...new URLSearchParams(query ?? '').keys()];
  return names.some((name) => KEY_PARAMETERS.has(name.toLowerCase()));
}
