import type { ErrorEvent } from '@sentry/core';
import type { ErrorTracker } from '../../ports/ports.ts';
import type { Redactor } from '../../ports/redactor.ts';

/** Earlier operations that are sent with an error. */
const MAX_BREADCRUMBS = 100;
const SEND_TIMEOUT_MS = 10_000;
/** Errors that are sent concurrently; more are dropped, so that a burst costs nothing. */
const MAX_UNDER_WAY = 20;

type Options = {
  /** Where errors are sent; empty or missing: nowhere. */
  dsn: string | undefined;
  release: string;
  redactor: Redactor;
  fetch?: typeof fetch;
  /** Reports an unusable DSN; the message never contains the DSN itself. */
  complain: (message: string) => void;
  /** Looks up how many attempts an issue had; null when it is not known. */
  attemptCountOf?: (issue: { identifier?: string; attemptId?: string }) => Promise<{
    identifier: string;
    attemptCount: number;
  } | null>;
};

/**
 * The error tracker's DSN from the environment; the second name is the usual one of such services.
 */
export function errorTrackingDsn(
  variables: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return variables['SERVICE_ERROR_TRACKING_DSN'] || variables['SENTRY_DSN'];
}

/**
 * Sends unexpected errors to the service behind a DSN. The SDK is loaded only when there is one.
 */
export async function createErrorTracker(options: Options): Promise<ErrorTracker> {
  const { dsn, redactor } = options;
  if (dsn === undefined || dsn === '') return noErrorTracker;
  redactor.hide(dsn);
  // Checked here, because the SDK's own message would contain the DSN.
  const publicKey = publicKeyOf(dsn);
  if (publicKey === null) {
    options.complain('the error-tracking DSN cannot be read; errors are not sent');
    return noErrorTracker;
  }
  redactor.hide(publicKey);
  const { sdk } = await import('./sdk.ts');
  const send = options.fetch ?? fetch;
  const client = new sdk.ServerRuntimeClient({
    dsn,
    release: options.release,
    platform: 'javascript',
    integrations: [sdk.linkedErrorsIntegration()],
    stackParser: sdk.createStackParser(sdk.nodeStackLineParser()),
    transport: (transport) =>
      sdk.createTransport({ ...transport, bufferSize: MAX_UNDER_WAY }, async ({ body }) => {
        const answer = await send(transport.url, {
          method: 'POST',
          body: body as NonNullable<RequestInit['body']>,
          signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
        });
        await answer.body?.cancel();
        return {
          statusCode: answer.status,
          headers: {
            'x-sentry-rate-limits': answer.headers.get('X-Sentry-Rate-Limits'),
            'retry-after': answer.headers.get('Retry-After'),
          },
        };
      }),
    beforeSend: (event) => withoutSecrets(event, redactor),
  });
  client.init();
  const scope = new sdk.Scope();
  scope.setClient(client);
  const pending = new Set<Promise<void>>();

  async function report(error: unknown, subject: Parameters<ErrorTracker['capture']>[1] = {}) {
    // A copy of the scope at the time of the error, without later operations.
    const own = scope.clone();
    const issue = await lookUp(options, subject);
    const identifier = issue?.identifier ?? subject.issue;
    if (identifier !== undefined) own.setTag('issue', identifier);
    if (issue !== null) own.setTag('attempt_count', issue.attemptCount);
    if (subject.operation !== undefined) own.setTag('operation', subject.operation);
    if (subject.requestId !== undefined) own.setTag('request_id', subject.requestId);
    own.setContext('issue', {
      identifier: identifier ?? null,
      attempt_count: issue?.attemptCount ?? null,
      attempt_id: subject.attemptId ?? null,
    });
    client.captureException(error, { originalException: error }, own);
  }

  async function reportSafely(...given: Parameters<typeof report>): Promise<void> {
    try {
      await report(...given);
    } catch {
      options.complain('an error could not be handed to the error tracker');
    }
  }

  return {
    note(operation, fields = {}) {
      const { level, ...data } = redactor.fields(fields);
      scope.addBreadcrumb(
        {
          message: redactor.text(operation),
          level: level === 'error' ? 'error' : level === 'warn' ? 'warning' : 'info',
          data,
        },
        MAX_BREADCRUMBS,
      );
    },
    capture(failure, subject) {
      if (pending.size >= MAX_UNDER_WAY) return;
      const work = reportSafely(failure, subject);
      pending.add(work);
      void work.finally(() => pending.delete(work));
    },
    async flush(timeoutMs) {
      await Promise.all(pending);
      await client.flush(timeoutMs);
    },
  };
}

/** The key of `https://<key>@<host>/<path>/<project>`; null for any other text. */
function publicKeyOf(dsn: string): string | null {
  if (!URL.canParse(dsn)) return null;
  const { protocol, username, pathname } = new URL(dsn);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  const usable = isWeb && /^\w+$/.test(username) && /\/\d+$/.test(pathname);
  return usable ? username : null;
}

async function lookUp(
  { attemptCountOf }: Options,
  { issue, attemptId }: { issue?: string | undefined; attemptId?: string | undefined },
) {
  if (attemptCountOf === undefined || (issue === undefined && attemptId === undefined)) return null;
  try {
    return await attemptCountOf({
      ...(issue === undefined ? {} : { identifier: issue }),
      ...(attemptId === undefined ? {} : { attemptId }),
    });
  } catch {
    // The error may be an unreachable database, so it is sent without the count.
    return null;
  }
}

/** The event with the texts of its error, earlier operations, contexts and tags redacted. */
function withoutSecrets(event: ErrorEvent, redactor: Redactor): ErrorEvent {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') {
      return redactor.text(value);
    }
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  const { exception, breadcrumbs, message, contexts, tags, extra } = event;
  const shown = walk({ exception, breadcrumbs, message, contexts, tags, extra });
  return { ...event, ...(shown as Partial<ErrorEvent>) };
}

/** The error tracker of a service without a DSN: a no-op. */
export const noErrorTracker: ErrorTracker = {
  note: () => {},
  capture: () => {},
  flush: () => Promise.resolve(),
};
