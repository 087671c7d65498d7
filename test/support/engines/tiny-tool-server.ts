import { createServer } from 'node:http';
import type { ToolServer } from '../../../runner/src/engine/agent-engine.ts';

type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };

export type TinyToolServer = {
  server: ToolServer;
  /** Calls of its one tool with the header that they came with. */
  calls: { tool: unknown; arguments: unknown; authorization: string | undefined }[];
  close(): Promise<void>;
};

/** An MCP server (Streamable HTTP, plain JSON answers) with one tool, `weather_api`. */
export async function startTinyToolServer(): Promise<TinyToolServer> {
  const calls: TinyToolServer['calls'] = [];
  const answer = ({ method, params = {} }: Message, authorization: string | undefined): unknown => {
    if (method === 'initialize') {
      const protocolVersion = params['protocolVersion'] ?? '2025-06-18';
      const serverInfo = { name: 'tiny', version: '1.0.0' };
      return { protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    if (method === 'tools/list') {
      const properties = { city: { type: 'string' } };
      const inputSchema = { type: 'object', properties, required: ['city'] };
      return { tools: [{ name: 'weather_api', description: 'Tells the weather.', inputSchema }] };
    }
    if (method !== 'tools/call') return {};
    calls.push({ tool: params['name'], arguments: params['arguments'], authorization });
    return { content: [{ type: 'text', text: 'Sunny in Rome.' }] };
  };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
      if (message.id === undefined) return void response.writeHead(202).end();
      const result = answer(message, request.headers.authorization);
      const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  const headers = { authorization: 'Bearer tool-token' };
  return {
    server: { name: 'switchyard', url: `http://127.0.0.1:${address.port}/mcp`, headers },
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
