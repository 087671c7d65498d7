import { describe, expect, it } from 'vitest';
import { AnswerMeter } from './answer-meter.ts';
import { ModelLedger } from './model-ledger.ts';

const now = (): number => 5;

function meter(wireApi: 'chat' | 'responses', maxHeldBytes: number) {
  const ledger = new ModelLedger(now);
  return { ledger, one: new AnswerMeter(ledger, { wireApi, secret: null, now, maxHeldBytes }) };
}

describe('what is held of an answer', () => {
  it('is a line at a time: one over the limit is skipped, and what follows is read', () => {
    const { ledger, one } = meter('chat', 1_000);
    one.head(200, { 'content-type': 'text/event-stream' });
    for (let piece = 0; piece < 100; piece += 1) one.chunk(Buffer.from('data: '.repeat(100)));
    one.chunk(Buffer.from('\n\ndata: {"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'));
    one.end('whole');
    expect(ledger.report()).toMatchObject({ answers: 1, uncounted: 0, tokens: { total: 7 } });
  });

  it('makes an answer unknown when the line that tells its tokens is over the limit', () => {
    const { ledger, one } = meter('responses', 1_000);
    one.head(200, { 'content-type': 'text/event-stream' });
    const usage = { input_tokens: 1, output_tokens: 1 };
    const response = { output: 'x'.repeat(2_000), usage };
    one.chunk(Buffer.from(`data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`));
    one.end('whole');
    expect(ledger.report()).toMatchObject({ answers: 1, uncounted: 1, refusal: null });
  });

  it('makes a body over the limit unknown', () => {
    const { ledger, one } = meter('chat', 1_000);
    one.head(200, { 'content-type': 'application/json' });
    for (let piece = 0; piece < 100; piece += 1) one.chunk(Buffer.alloc(100));
    one.end('whole');
    expect(ledger.report()).toMatchObject({ answers: 1, uncounted: 1 });
  });

  it('counts numbers that no answer can have as none', () => {
    const { ledger, one } = meter('chat', 1_000);
    one.head(200, { 'content-type': 'application/json' });
    one.chunk(Buffer.from('{"usage":{"prompt_tokens":1e300,"completion_tokens":-4}}'));
    one.end('whole');
    expect(ledger.report()).toMatchObject({ answers: 1, tokens: { total: 0 } });
  });

  it('names so many models and counts further ones together', () => {
    const ledger = new ModelLedger(now);
    const one = { input: 1, cachedInput: 0, output: 0, reasoning: 0, total: 1 };
    for (let model = 0; model < 50; model += 1) ledger.used(ledger.begin(), one, `m${model}`);
    const { byModel, tokens } = ledger.report();
    expect(Object.keys(byModel)).toHaveLength(33);
    expect(byModel['other']?.total).toBe(18);
    expect(tokens.total).toBe(50);
  });
});
