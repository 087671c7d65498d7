import { describe, expect, it } from 'vitest';
import { formatCount, plural } from './format-count.ts';
import { clip, colouredTerminalText, plainTerminalText } from './terminal-text.ts';
import { formatDue, formatDuration, formatPast, formatRelative } from './time.ts';
import { attemptStatus } from '@switchyard/shared/reasons/attempt-status';
import { failureLabel, stepLabel } from './labels.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('durations', () => {
  it('gets coarser as it gets longer', () => {
    const spans = [-5, 0, 420, 960, 59_999, 61_000, HOUR_MS + 4 * MINUTE_MS, 75 * HOUR_MS];
    expect(spans.map(formatDuration)).toEqual([
      '0.0s',
      '0.0s',
      '0.4s',
      '1s',
      '59s',
      '1m 01s',
      '1h 04m',
      '3d 3h',
    ]);
  });

  it('says how far away a moment is', () => {
    const distances = [-1_000, 1_000, -30_000, -90 * MINUTE_MS, 3 * MINUTE_MS + 500];
    expect(distances.map((distance) => formatRelative(distance, 0))).toEqual([
      'just now',
      'in a moment',
      '30s ago',
      '1h ago',
      'in 3m',
    ]);
    expect(formatRelative(Number.NaN, 0)).toBe('unknown');
  });

  it('tells what is to come as to come, and a clock that is a little ahead as now', () => {
    const day = 24 * HOUR_MS;
    expect([-day, -59_000, 1_000, 9 * MINUTE_MS, day].map((at) => formatPast(at, 0))).toEqual([
      '1d ago',
      '59s ago',
      'just now',
      'just now',
      'in 1d',
    ]);
    expect([-1, 0, 30_000, day].map((at) => formatDue(at, 0))).toEqual([
      'now',
      'now',
      'in 30s',
      'in 1d',
    ]);
  });
});

describe('numbers', () => {
  it('shortens counts and never shows 1000k', () => {
    expect([0, 999, 1_000, 12_345, 154_800, 999_499, 999_900, 3_100_000].map(formatCount)).toEqual([
      '0',
      '999',
      '1k',
      '12.3k',
      '155k',
      '999k',
      '1M',
      '3.1M',
    ]);
  });

  it('counts things', () => {
    expect([plural(1, 'file'), plural(2, 'file')]).toEqual(['1 file', '2 files']);
  });
});

describe('terminal output', () => {
  it('loses colours, titles and control characters but no text', () => {
    expect(
      plainTerminalText('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007done\u0000\tok\r\nnext'),
    ).toBe('red done\tok\nnext');
  });

  it('keeps nothing but colours when asked for them', () => {
    const output = '\u001b[31mred\u001b[0m \u001b]8;;javascript:x\u0007link\u001b[2J\ue0001\ue001';
    expect(colouredTerminalText(output)).toBe('\u001b[31mred\u001b[0m link1');
  });

  it('shows an overwritten progress line as it ended', () => {
    expect(plainTerminalText('10%\r50%\r100%\nready')).toBe('100%\nready');
  });

  it('has nothing that turns its direction or that a terminal obeys', () => {
    expect(plainTerminalText('rm \u202efdp.exe\u2066\u009b2J\u0085')).toBe('rm fdp.exe');
  });

  it('leaves markup as text', () => {
    expect(plainTerminalText('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>');
  });

  it('says how much was left out', () => {
    expect(clip('abcdef', 4)).toEqual({ text: 'abcd', omitted: 2 });
    expect(clip('abc', 4)).toEqual({ text: 'abc', omitted: 0 });
  });
});

describe('words', () => {
  it('knows what every kind of failure means', () => {
    expect(failureLabel('workspace_error')).toBe('The workspace could not be prepared or read.');
    expect([failureLabel('solar_flare'), failureLabel('constructor')]).toEqual([
      'solar flare',
      'constructor',
    ]);
  });

  it('says of no attempt of a running issue that it has completed', () => {
    expect(stepLabel({ phase: 'delivering', status: 'running' })).toBe('delivering');
    expect(stepLabel({ phase: null, status: 'queued' })).toBe('queued');
    expect(stepLabel({ phase: null, status: 'completed' })).toBe('finishing');
  });

  it('calls an attempt done only when the agent said so, and its work stood', () => {
    const marker = 'DONE' as const;
    const ended = { status: 'completed', outcome: 'completed', attemptId: 'a', marker } as const;
    const said = (...given: Parameters<typeof attemptStatus>) =>
      Object.values(attemptStatus(...given)).join(' ');
    const opened = { ...ended, reasonCode: 'pull_request_opened' } as const;
    expect(said(opened)).toBe('completed completed good');
    for (const reasonCode of ['work_left', 'ended_without_result'] as const)
      expect(said({ ...ended, reasonCode })).toBe('retrying unfinished warning');
    const blocked = 'blocked blocked warning';
    expect(said({ ...ended, reasonCode: 'agent_blocked' })).toBe(blocked);
    expect(said({ ...ended, marker: 'BLOCKED', reasonCode: null })).toBe(blocked);
    const closed = { status: 'blocked', reasonCode: 'pull_request_closed' } as const;
    expect(said(opened, { ...closed, attempts: [opened] })).toBe(blocked);
    // An older attempt is not what its issue stops at, and no budget is its fault.
    expect(said(opened, { ...closed, attempts: [{ attemptId: 'b' }, opened] })).toContain('good');
    const spent = { ...closed, reasonCode: 'day_budget_used', attempts: [opened] } as const;
    expect(said(opened, spent)).toContain('good');
    const failed = { ...ended, status: 'failed', outcome: 'oom', reasonCode: null } as const;
    expect(said(failed)).toBe('failed out of memory bad');
    expect(said({ ...failed, status: 'running', outcome: null })).toBe('running running quiet');
  });
});
