import type { TurnFailure } from '../../agent-engine.ts';
import { truncateText } from '../../session/truncate-text.ts';

const MAX_MESSAGE_BYTES = 4 * 1024;
/** The protocol's error code for an agent without a valid key. */
const AUTH_REQUIRED = -32000;

type AgentError = { code: number; message: string; data?: unknown };
type Kind = TurnFailure['kind'];

/** Names of provider errors, wherever an agent puts them in its error. */
const KINDS: readonly [RegExp, Kind][] = [
  [
    /ContextOverflow|context_length_exceeded|maximum context length|prompt is too long/i,
    'context_exceeded',
  ],
  [/\b(rate_limit|billing_error|insufficient_quota|QuotaFailure|usage_limit)/i, 'usage_limited'],
  [/\b(authentication_(error|failed)|invalid_api_key|incorrect api key)/i, 'auth_failed'],
  [
    /\b(overloaded_error|api_connection|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b/i,
    'provider_unreachable',
  ],
  [/\b(unable to connect|connection error|fetch failed|socket hang up)/i, 'provider_unreachable'],
];

/**
 * Why an agent refused to continue a prompt, as a failure kind. Agents report provider errors
 * differently, so the kind is the best guess from names, status and text; none reports when a limit
 * resets.
 */
export function mapFailure(error: AgentError): TurnFailure {
  const details = detailsOf(error.data);
  const known = details === '' || error.message.includes(details);
  const message = truncateText(
    known ? error.message : `${error.message}: ${details}`,
    MAX_MESSAGE_BYTES,
  );
  return { kind: kindOf(error), message };
}

function kindOf({ code, message, data }: AgentError): Kind {
  const text = `${message} ${JSON.stringify(data) ?? ''}`;
  const named = KINDS.find(([pattern]) => pattern.test(text));
  if (named) return named[1];
  const status = statusOf(code, text);
  if (status === 401 || status === 403) return 'auth_failed';
  if (status === 429 || status === 402) return 'usage_limited';
  if (status !== null && status >= 500) return 'provider_unreachable';
  return code === AUTH_REQUIRED ? 'auth_failed' : 'agent_error';
}

/** The provider's HTTP status, which some agents give as the code, others in the text. */
function statusOf(code: number, text: string): number | null {
  if (code >= 400 && code < 600) return code;
  const found = /(?:status(?:Code)?"?:?\s*|HTTP\s+|API Error:?\s+|^|")(4\d\d|5\d\d)\b/i.exec(text);
  return found?.[1] === undefined ? null : Number(found[1]);
}

/** Details beside an error that names only its class. */
function detailsOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return '';
  const fields = data as Record<string, unknown>;
  const texts = [fields['details'], fields['message'], fields['errorMessage']];
  return texts.find((word) => typeof word === 'string') ?? '';
}
