import * as z from 'zod';

/**
 * The revision without sessions: every request contains its version, and no state is kept between
 * requests.
 */
export const STATELESS_REVISION = '2026-07-28';
/** Revisions that begin with `initialize`, the newest first. */
export const SESSION_REVISIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
];

export const ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  /** The runner, which provides the tools, does not answer. */
  unavailable: -32_000,
  headerMismatch: -32_020,
  unsupportedRevision: -32_022,
} as const;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

export const RpcId = z.union([z.string().max(200), z.int()]);
export type RpcId = z.infer<typeof RpcId>;

/** `_meta` of a request; only the stateless revision puts the version there. */
const RequestMeta = z.looseObject({
  progressToken: RpcId.optional(),
  [VERSION_KEY]: z.string().max(40).optional(),
  [CAPABILITIES_KEY]: z.record(z.string(), z.unknown()).optional(),
});

/** A request, a notification (no id), or a response (no method) as a client posts it. */
export const McpMessage = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: RpcId.optional(),
  method: z.string().max(200).optional(),
  params: z.looseObject({ _meta: RequestMeta.optional() }).optional(),
});
export type McpMessage = z.infer<typeof McpMessage>;

export const CallParams = z.looseObject({
  name: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

/** The revision that a message names; undefined: one of those with sessions. */
export function claimedRevision(message: McpMessage): {
  revision: string | undefined;
  hasCapabilities: boolean;
} {
  const meta = message.params?._meta;
  return { revision: meta?.[VERSION_KEY], hasCapabilities: meta?.[CAPABILITIES_KEY] !== undefined };
}
