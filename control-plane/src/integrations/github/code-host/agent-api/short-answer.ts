import { wellFormedJson } from '@switchyard/shared/text/well-formed-json';
import { errorOfResponse, isLimited } from '../../api/github-error.ts';
import { limitOfRefusal } from '../../api/limit-of-refusal.ts';
import type { AgentAnswer } from '../../../../ports/ports.ts';

/** Fields that fill a model's context without information. */
const NOISE = /^(?:url|node_id|gravatar_id|_links|performed_via_github_app|.*_url)$/;
const KEPT = new Set(['html_url', 'clone_url']);

/** A response of GitHub in a form for a model: status, next page and the useful fields. */
export function shortAnswer(response: Response, text: string, nowMs: number): AgentAnswer {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const message = `HTTP ${status}: what you ask for has moved elsewhere and is out of reach.`;
    return { ok: false, status, text: message };
  }
  if (!response.ok) {
    const { untilMs = null } = isLimited(response, text)
      ? limitOfRefusal(response.headers, 'core', nowMs)
      : {};
    const error = errorOfResponse('GitHub', response, { text, retryAtMs: untilMs });
    const wait =
      error.retryAtMs === undefined
        ? ''
        : ` Ask again in ${Math.ceil((error.retryAtMs - nowMs) / 1_000)} seconds, not before.`;
    return { ok: false, status, text: `HTTP ${status}: ${error.message}.${wait}` };
  }
  const next = nextQuery(response.headers.get('Link'));
  const more = next === null ? '' : `\nThere are more: the next page has the query ${next}`;
  return { ok: true, status, text: `HTTP ${status}${more}\n\n${shortened(text)}` };
}

function nextQuery(link: string | null): string | null {
  const next = /<([^>]+)>;[^,]*rel="next"/.exec(link ?? '')?.[1];
  return next === undefined || !URL.canParse(next) ? null : new URL(next).search;
}

function shortened(text: string): string {
  try {
    return wellFormedJson(JSON.stringify(JSON.parse(text, withoutNoise)) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function withoutNoise(this: unknown, key: string, value: unknown): unknown {
  if (NOISE.test(key) && !KEPT.has(key)) return undefined;
  const isPerson =
    typeof value === 'object' && value !== null && 'login' in value && 'type' in value;
  return isPerson ? value.login : value;
}
