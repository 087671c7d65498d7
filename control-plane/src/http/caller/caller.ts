import { cutText } from '@switchyard/shared/text/cut-text';
import type { Context } from 'hono';

/** Who requests a mutation, for its audit row. */
export type Caller = {
  /** `local`, a token's name, `runner:<id>` or `service`. */
  actor: string;
  source: 'API' | 'wizard' | 'CLI' | 'runner' | 'service';
  requestId: string | null;
  /** Request path, or the name of the internal task. */
  path: string;
};

export const SERVICE_CALLER: Caller = {
  actor: 'service',
  source: 'service',
  requestId: null,
  path: '',
};

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by `authorize`; read it through `callerOf`. */
    caller: Caller | undefined;
  }
}

/**
 * The caller of this request, for the audit row. Throws when `authorize` did not run: a wiring
 * error.
 */
export function callerOf(c: Context): Caller {
  const caller = c.get('caller');
  if (caller === undefined) throw new Error('no caller: the route is not behind authorize');
  return caller;
}

/** Builds the caller of a request from an actor's name and the request itself. */
export function callerFrom(c: Context, actor: string): Caller {
  return {
    actor,
    source: sourceFrom(c.req.header('X-Service-Source')),
    requestId: c.get('requestId') ?? null,
    path: cutText(c.req.path, 2_048),
  };
}

function sourceFrom(header: string | undefined): Caller['source'] {
  const word = header?.trim().toLowerCase();
  if (word === 'wizard') return 'wizard';
  return word === 'cli' ? 'CLI' : 'API';
}
