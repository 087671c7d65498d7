#!/usr/bin/env node
import { createInterface } from 'node:readline';

/**
 * An agent that speaks the Agent Client Protocol and can only talk: it asks a chat provider, says
 * what that says, and uses no tools. `OPENAI_BASE_URL` and `KEY` are its settings.
 */
type Request = { id?: number; method?: string; params?: Record<string, unknown> };
type Prompt = { sessionId: string; prompt: { text: string }[] };

const { OPENAI_BASE_URL: baseUrl = '', KEY: key = '' } = process.env;
const turns = new Map<string, AbortController>();
const write = (message: unknown): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...(message as object) })}\n`);
};

async function prompt({ sessionId, prompt: parts }: Prompt): Promise<unknown> {
  const turn = new AbortController();
  turns.set(sessionId, turn);
  try {
    const messages = [{ role: 'user', content: parts.map(({ text }) => text).join('') }];
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted-model', stream: true, messages }),
      signal: turn.signal,
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const text = (await response.text())
      .split('\n')
      .flatMap((line) => /^data: (\{.*)$/.exec(line)?.[1] ?? [])
      .map((data) => JSON.parse(data).choices?.[0]?.delta?.content ?? '')
      .join('');
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    write({ method: 'session/update', params: { sessionId, update } });
    return { stopReason: 'end_turn' };
  } catch (error) {
    if (turn.signal.aborted) return { stopReason: 'cancelled' };
    throw error;
  }
}

async function answer({ method, params = {} }: Request): Promise<unknown> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: 1,
        agentCapabilities: {},
        agentInfo: { name: 'talking', version: '7' },
      };
    case 'session/new':
      return { sessionId: 'only' };
    case 'session/prompt':
      return await prompt(params as Prompt);
    default:
      throw new Error(`no method ${method}`);
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (line.trim() === '') return;
  const request = JSON.parse(line) as Request;
  if (request.method === 'session/cancel') {
    turns.get(String(request.params?.['sessionId']))?.abort();
    return;
  }
  if (request.id === undefined || request.method === undefined) return;
  answer(request).then(
    (result) => write({ id: request.id, result }),
    (error: unknown) => write({ id: request.id, error: { code: -32_603, message: String(error) } }),
  );
});
