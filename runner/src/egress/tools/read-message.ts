import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import {
  CallParams,
  ERROR,
  McpMessage,
  type RpcId,
  SESSION_REVISIONS,
  STATELESS_REVISION,
  claimedRevision,
} from './mcp-message.ts';

/** How long a client may cache the list of tools, which is constant for an attempt. */
const LIST_TTL_MS = 60_000;
const SERVER = { name: 'switchyard', title: 'Switchyard', version: '1' };

/** Headers that the stateless revision duplicates from the body. */
export type McpHeaders = {
  revision: string | undefined;
  method: string | undefined;
  name: string | undefined;
};

/** An HTTP response; `body` null means an empty one. */
export type McpReply = {
  status: number;
  body: Record<string, unknown> | null;
  /** Whether the client begins a session, whose id it then repeats. No state is kept for it. */
  beginsSession?: boolean;
};

/** How a posted message must be handled. */
export type McpStep =
  | { kind: 'reply'; reply: McpReply }
  | { kind: 'list'; id: RpcId; stateless: boolean }
  | {
      kind: 'call';
      id: RpcId;
      tool: string;
      arguments: Record<string, unknown>;
      progressToken: RpcId | undefined;
      stateless: boolean;
    }
  /** The client cancelled its request with this id. */
  | { kind: 'cancelled'; id: RpcId };

/** A request by its id; `stateless`: it stands for itself, without a session. */
type Asked = { id: RpcId; stateless: boolean };

/**
 * Interprets a posted message of the Model Context Protocol. Two generations of clients are
 * supported: those of 2026-07-28 with independent requests, and earlier ones that begin with
 * `initialize`. Only tools are offered.
 */
export function readMessage(posted: unknown, headers: McpHeaders): McpStep {
  const parsed = McpMessage.safeParse(posted);
  if (!parsed.success) {
    const message = 'The body is no single JSON-RPC request or notification.';
    return refuse(400, null, ERROR.invalidRequest, message);
  }
  const message = parsed.data;
  const { id, method } = message;
  const { revision, hasCapabilities } = claimedRevision(message);
  const stateless = revision !== undefined || headers.revision === STATELESS_REVISION;
  // A response to a request that this server never sends.
  if (method === undefined) return accepted();
  if (id === undefined) return readNotification(method, message.params);
  if (!stateless) return readOfSession(message, id, method, headers);
  if (revision !== STATELESS_REVISION) {
    return revision === undefined
      ? refuse(400, id, ERROR.invalidParams, 'The request lacks its protocol version in _meta.')
      : unsupported(id, revision);
  }
  if (!hasCapabilities) {
    return refuse(400, id, ERROR.invalidParams, 'The request lacks clientCapabilities in _meta.');
  }
  const mismatch = headerMismatch(message, headers);
  if (mismatch !== null) return refuse(400, id, ERROR.headerMismatch, mismatch);
  if (method === 'server/discover') return reply(id, discovered());
  return readToolRequest(message, { id, stateless: true });
}

/** The response to `tools/list`. */
export function listReply(step: Asked, tools: ToolSpec[]): McpReply {
  const listed = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { type: 'object', ...inputSchema },
  }));
  const more = step.stateless ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {};
  return result(step, { tools: listed, ...more });
}

/** The response to `tools/call`: failures are reported to the model, not to its client. */
export function callReply(step: Asked, answer: { success: boolean; text: string }): McpReply {
  const content = [{ type: 'text', text: answer.text }];
  return result(step, { content, isError: !answer.success });
}

export function errorReply(
  status: number,
  id: RpcId | null,
  error: { code: number; message: string; data?: unknown },
): McpReply {
  return { status, body: { jsonrpc: '2.0', id, error } };
}

function readOfSession(
  message: McpMessage,
  id: RpcId,
  method: string,
  headers: McpHeaders,
): McpStep {
  if (method === 'initialize') {
    const wanted = message.params?.['protocolVersion'];
    const known = SESSION_REVISIONS.find((revision) => revision === wanted);
    const step = reply(id, {
      protocolVersion: known ?? SESSION_REVISIONS[0],
      capabilities: { tools: {} },
      serverInfo: SERVER,
    });
    return { ...step, reply: { ...step.reply, beginsSession: true } };
  }
  if (headers.revision !== undefined && !SESSION_REVISIONS.includes(headers.revision)) {
    return unsupported(id, headers.revision);
  }
  if (method === 'ping') return reply(id, {});
  return readToolRequest(message, { id, stateless: false });
}

function readToolRequest({ method, params }: McpMessage, { id, stateless }: Asked): McpStep {
  if (method === 'tools/list') return { kind: 'list', id, stateless };
  if (method !== 'tools/call') {
    const status = stateless ? 404 : 200;
    return refuse(status, id, ERROR.methodNotFound, 'Only tools are served here.');
  }
  const call = CallParams.safeParse(params);
  if (!call.success) {
    return refuse(200, id, ERROR.invalidParams, 'tools/call needs a name and, if any, arguments.');
  }
  const { name: tool, arguments: given } = call.data;
  const progressToken = params?._meta?.progressToken;
  return { kind: 'call', id, tool, arguments: given, progressToken, stateless };
}

function readNotification(method: string, params: McpMessage['params']): McpStep {
  if (method !== 'notifications/cancelled') return accepted();
  const id = params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? { kind: 'cancelled', id } : accepted();
}

function headerMismatch(message: McpMessage, headers: McpHeaders): string | null {
  if (headers.revision !== STATELESS_REVISION) {
    return 'The header MCP-Protocol-Version is not the version of the body.';
  }
  if (headers.method !== message.method) return 'The header Mcp-Method is not the body’s method.';
  const name = message.params?.['name'];
  if (message.method !== 'tools/call' || typeof name !== 'string' || headers.name === name) {
    return null;
  }
  return 'The header Mcp-Name is not the name of the tool.';
}

function discovered(): Record<string, unknown> {
  return {
    resultType: 'complete',
    ttlMs: LIST_TTL_MS,
    cacheScope: 'private',
    supportedVersions: [STATELESS_REVISION, ...SESSION_REVISIONS],
    capabilities: { tools: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': SERVER },
  };
}

function unsupported(id: RpcId, requested: string): McpStep {
  const supported = [STATELESS_REVISION, ...SESSION_REVISIONS];
  const message = `This server does not speak protocol version ${requested}.`;
  const error = { code: ERROR.unsupportedRevision, message, data: { supported, requested } };
  return { kind: 'reply', reply: errorReply(400, id, error) };
}

function result({ id, stateless }: Asked, value: Record<string, unknown>): McpReply {
  const whole = stateless ? { resultType: 'complete', ...value } : value;
  return { status: 200, body: { jsonrpc: '2.0', id, result: whole } };
}

function reply(id: RpcId, value: Record<string, unknown>): { kind: 'reply'; reply: McpReply } {
  return { kind: 'reply', reply: result({ id, stateless: false }, value) };
}

function refuse(status: number, id: RpcId | null, code: number, message: string): McpStep {
  return { kind: 'reply', reply: errorReply(status, id, { code, message }) };
}

function accepted(): McpStep {
  return { kind: 'reply', reply: { status: 202, body: null } };
}
