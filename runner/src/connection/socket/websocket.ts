import { MAX_FRAME_BYTES, SUBPROTOCOL } from '@switchyard/shared/protocol/limits';
import { cutText } from '@switchyard/shared/text/cut-text';
import { decodeHead } from '@switchyard/shared/text/decode-tail';
import WebSocket from 'ws';
import type { Transport } from '../proxy/transport.ts';
import type { Channel, Dial } from './channel.ts';

const MAX_REFUSAL_CHARS = 300;
/** Source: RFC 6455, 5.5.1; a longer reason is an error. */
const MAX_REASON_BYTES = 123;

const HANDSHAKE_TIMEOUT_MS = 10_000;

/**
 * The control plane, or a proxy before it, refused a connection or request with an HTTP status,
 * such as 401 for a runner that it does not know.
 */
export class ConnectionRefused extends Error {
  readonly status: number;
  constructor(status: number, body: string) {
    super(`the control plane refused the connection (${status})${body === '' ? '' : `: ${body}`}`);
    this.name = 'ConnectionRefused';
    this.status = status;
  }
}

/**
 * URL of the connection for a control plane's address: `http(s)://host/base` →
 * `ws(s)://host/base/api/v1/runners/connect`.
 */
function connectUrl(controlPlaneUrl: string): string {
  const url = new URL('api/v1/runners/connect', withSlash(controlPlaneUrl));
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

export function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** Connects to the control plane with a new access token in the Authorization header. */
export function websocketDial(
  controlPlaneUrl: string,
  accessToken: () => Promise<string>,
  transport: Pick<Transport, 'socketConnection'>,
): Dial {
  return async (events, signal) => {
    const token = await accessToken();
    const { agent, explain } = transport.socketConnection(signal);
    const socket = new WebSocket(connectUrl(controlPlaneUrl), SUBPROTOCOL, {
      headers: { authorization: `Bearer ${token}` },
      maxPayload: MAX_FRAME_BYTES,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
      followRedirects: false,
      ...(agent === undefined ? {} : { agent }),
    });
    try {
      return await opened(socket, events, signal);
    } catch (error) {
      throw explain(error);
    }
  };
}

function opened(
  socket: WebSocket,
  events: Parameters<Dial>[0],
  signal: AbortSignal,
): Promise<Channel> {
  return new Promise((resolve, reject) => {
    let wasOpen = false;
    const abort = () => socket.terminate();
    signal.addEventListener('abort', abort, { once: true });
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (body.length < MAX_REFUSAL_CHARS) body += chunk;
      });
      response.on('close', () => {
        reject(new ConnectionRefused(response.statusCode ?? 0, cutText(body, MAX_REFUSAL_CHARS)));
        socket.terminate();
      });
    });
    // An error is always followed by close; before the opening it is the cause of the rejection.
    socket.on('error', (error) => reject(error));
    socket.on('message', (data, isBinary) => {
      if (!isBinary) events.text(textOf(data));
    });
    socket.on('close', (code, reason) => {
      signal.removeEventListener('abort', abort);
      reject(new Error(`closed with ${code} before it was open`));
      if (wasOpen) events.closed(code, reason.toString('utf8'));
    });
    socket.on('open', () => {
      wasOpen = true;
      resolve(channelOf(socket));
    });
  });
}

function textOf(data: WebSocket.RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8');
}

function channelOf(socket: WebSocket): Channel {
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: (code, reason) => {
      socket.close(code, decodeHead(Buffer.from(reason).subarray(0, MAX_REASON_BYTES)));
      // A peer that has disappeared never answers the close.
      const timer = setTimeout(() => socket.terminate(), 1_000);
      timer.unref();
    },
    bufferedBytes: () => socket.bufferedAmount,
  };
}
