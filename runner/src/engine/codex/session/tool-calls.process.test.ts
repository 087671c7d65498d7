import { setTimeout as delay } from 'node:timers/promises';
import type { ToolSpec } from '@switchyard/shared/protocol/attempt-spec';
import { afterEach, describe, expect, it } from 'vitest';
import { say, type Step } from '../../../../../control-plane/scripted-provider/step.ts';
import type { ToolAnswer, ToolCall } from '../../agent-engine.ts';
import { MODEL, collect, turnInput } from '../../testing/engine-bench.ts';
import { quickEngine } from '../testing/quick-engine.ts';
import { engineFixture } from '../testing/engine-fixture.ts';

const fixture = engineFixture();
afterEach(() => fixture.dispose());

const tools: ToolSpec[] = [
  {
    name: 'weather_api',
    description: 'Tells the weather.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const use = (city: string, name = 'weather_api'): Step => ({
  outputs: [{ type: 'tool', name, arguments: { city } }],
});

describe('tools of an attempt', { timeout: 40_000 }, () => {
  it('are offered, called once and answered, and the turn goes on', async () => {
    const calls: ToolCall[] = [];
    const callTool = async (call: ToolCall): Promise<ToolAnswer> => {
      calls.push(call);
      return { success: calls.length === 1, text: `answer ${calls.length}` };
    };
    const script = [use('Rome'), use('Atlantis'), say('Sunny.')];
    const { bench, provider } = await fixture.start(script, { tools, callTool });
    await bench.startThread();
    await bench.startTurn('How is the weather?');
    expect((await bench.untilTurnEnds()).status).toBe('completed');
    expect(provider.requests[0]?.toolNames).toContain('weather_api');
    expect(calls).toEqual(
      ['Rome', 'Atlantis'].map((city) => ({ tool: 'weather_api', arguments: { city } })),
    );
    expect(provider.requests.at(-1)?.toolOutputs.map(String)).toEqual([
      expect.stringContaining('answer 1'),
      expect.stringContaining('answer 2'),
    ]);
    const ended = bench.events.flatMap((event) =>
      event.kind === 'item_ended' && event.item.type === 'tool_call' ? [event.item] : [],
    );
    expect(ended.map(({ tool, status }) => ({ tool, status }))).toEqual([
      { tool: 'weather_api', status: 'completed' },
      { tool: 'weather_api', status: 'failed' },
    ]);
  });

  it('are not there where none are offered', async () => {
    const { bench, provider } = await fixture.start([say('No tools.')]);
    await bench.startThread();
    await bench.startTurn('Look');
    await bench.untilTurnEnds();
    expect(provider.requests[0]?.toolNames).not.toContain('weather_api');
  });

  it('that were called when the runner died are answered, and not called again', async () => {
    const calls: ToolCall[] = [];
    const never = (call: ToolCall): Promise<ToolAnswer> => {
      calls.push(call);
      return new Promise(() => undefined);
    };
    const script = [use('Rome'), say('I look first.')];
    const { bench, provider } = await fixture.start(script, { tools, callTool: never });
    const threadId = await bench.startThread();
    await bench.startTurn('How is the weather?');
    await expect.poll(() => calls.length).toBe(1);
    bench.session.close();
    await delay(10);
    const session = await quickEngine.open({
      stdio: bench.process.attach(),
      journal: bench.journal,
      adopted: true,
      threadId,
      callTool: never,
    });
    fixture.onDispose(() => session.close());
    const { until } = collect(session);
    await until('the end', ({ kind }) => kind === 'turn_ended', 20_000);
    expect(calls).toHaveLength(1);
    expect(provider.requests.at(-1)?.toolOutputs.join()).toContain('look before you repeat it');
  });

  it('stay with a thread that is resumed', async () => {
    const callTool = async (): Promise<ToolAnswer> => ({ success: true, text: 'dry' });
    const { bench: first } = await fixture.start([say('Hello.')], { tools, callTool });
    const threadId = await first.startThread();
    await first.startTurn('begin');
    await first.untilTurnEnds();
    const script = [use('Oslo'), say('Dry.')];
    const { bench, provider } = await fixture.start(script, {
      callTool,
      sessionsFrom: first.sessionsPath,
    });
    const { workspacePath: cwd } = bench;
    expect(await bench.session.resumeThread({ threadId, cwd, model: MODEL, tools })).toEqual({
      threadId,
      resumed: true,
    });
    await bench.session.startTurn(turnInput('How is the weather?'), { model: MODEL });
    await bench.untilTurnEnds();
    expect(provider.requests[0]?.toolNames).toContain('weather_api');
    expect(provider.requests.at(-1)?.toolOutputs.join()).toContain('dry');
  });
});
