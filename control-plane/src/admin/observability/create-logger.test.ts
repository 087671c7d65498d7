import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../observe/redaction/create-redactor.ts';
import { createLogger } from './create-logger.ts';

const SECRET = 'sk-very-secret-value';

function lines(level: string | undefined, format: string | undefined) {
  const written: string[] = [];
  const redactor = createRedactor();
  redactor.hide(SECRET);
  const logger = createLogger({
    write: (line) => void written.push(line),
    level,
    format,
    nowMs: () => Date.parse('2026-01-02T03:04:05.678Z'),
    redactor,
  });
  return { logger, written };
}

describe('the log', () => {
  it('is logfmt unless it is told otherwise', () => {
    const { logger, written } = lines(undefined, undefined);
    logger.info('an attempt ended', { issue: 'SY-1', tries: 2, note: 'a "b"\nc', left: undefined });
    expect(written).toEqual([
      'time=2026-01-02T03:04:05.678Z level=info msg="an attempt ended" issue=SY-1 tries=2 note="a \\"b\\"\\nc"\n',
    ]);
  });

  it('is one JSON object a line with SERVICE_LOG_FORMAT=json', () => {
    const { logger, written } = lines(undefined, 'json');
    logger.warn('late', { issue: 'SY-1', error: 'x\ny' });
    expect(written).toHaveLength(1);
    expect(JSON.parse(written[0] ?? '')).toEqual({
      time: '2026-01-02T03:04:05.678Z',
      level: 'warn',
      msg: 'late',
      issue: 'SY-1',
      error: 'x\ny',
    });
    expect(written[0]?.indexOf('\n')).toBe((written[0]?.length ?? 0) - 1);
  });

  it.each(['logfmt', 'json'])('as %s holds nothing that a terminal would obey', (format) => {
    const { logger, written } = lines(undefined, format);
    const hostile = 'a\u009b2J\u001b]52;c;eA==\u0007\u202e\u2028level=fatal\u0085msg=x';
    logger.info(hostile, { title: hostile });
    expect(written.join('').trimEnd()).not.toMatch(/\p{Cc}|[\u2028\u202e]/u);
  });

  it.each([
    ['trace', 6],
    ['debug', 5],
    [undefined, 4],
    ['nonsense', 4],
    ['WARN', 3],
    ['error', 2],
    ['fatal', 1],
  ])('with LOG_LEVEL=%s writes %i of six levels', (level, count) => {
    const { logger, written } = lines(level, undefined);
    for (const each of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) {
      logger[each]('x');
    }
    expect(written).toHaveLength(count);
  });

  it('leaves out what a failed statement was given', () => {
    const { logger, written } = lines(undefined, undefined);
    const failed = new DrizzleQueryError('insert into texts values (?)', ['words of somebody']);
    logger.error('background task failed', { error: failed.message });
    logger.error(`it failed: ${failed.message}`);
    expect(written.join('')).toContain('insert into texts');
    expect(written.join('')).not.toContain('words of somebody');
  });

  it.each(['logfmt', 'json'])('shows no secret as %s', (format) => {
    const { logger, written } = lines(undefined, format);
    logger.error(`it said ${SECRET}`, {
      error: `Authorization: Bearer abcdefgh1234 at https://ada:pa55word@example.test/?token=zzz`,
      apiKey: 'short',
      write_token: 'also-short',
      identifier: 'SY-1',
    });
    const text = written.join('');
    for (const secret of [SECRET, 'abcdefgh1234', 'pa55word', 'zzz', 'short']) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('SY-1');
    expect(text).toContain('example.test');
  });

  it('cuts a value that would flood it', () => {
    const { logger, written } = lines(undefined, 'json');
    logger.info('x', { error: 'y'.repeat(100_000) });
    expect(written[0]?.length).toBeLessThan(2_200);
  });
});
