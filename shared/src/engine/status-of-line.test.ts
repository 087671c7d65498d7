import { describe, expect, it } from 'vitest';
import { splitOpenStatusLine, statusOfLine, withoutStatusLine } from './status-of-line.ts';

const LINE = 'SWITCHYARD_STATUS: DONE';

describe('the status line of an agent', () => {
  it.each([
    [LINE, 'DONE'],
    ['  SWITCHYARD_STATUS:BLOCKED ', 'BLOCKED'],
    ['SYMPHONY_STATUS: DONE', 'DONE'],
    [`**${LINE}**`, null],
    [`so: ${LINE}`, null],
    ['SWITCHYARD_STATUS: LATER', null],
  ])('counts only as it was asked for: %j is %j', (line, status) =>
    expect(statusOfLine(line)).toBe(status),
  );

  it.each([
    [`All done.\n\n${LINE}`, 'All done.'],
    [`All done.\r\n${LINE}\r\n`, 'All done.'],
    [LINE, ''],
    [`\`${LINE}\``, ''],
    [`**${LINE}**`, ''],
    [`> ${LINE}`, ''],
    [`a\n\`\`\`\n${LINE}\n\`\`\``, 'a'],
    [`All done. ${LINE}.`, 'All done.'],
    [`a\n${LINE}\nb`, 'a\n\nb'],
    ['a\nSYMPHONY_STATUS: BLOCKED', 'a'],
    ['a\nSWITCHYARD_STATUS: IN_PROGRESS', 'a'],
    ['a\n**SWITCHYARD_STATUS:** DONE', 'a'],
    ['a\nSWITCHYARD_STATUS: **DONE**.', 'a'],
    ['a\n`SWITCHYARD_STATUS`: `DONE`', 'a'],
    ['a\nswitchyard_status: done', 'a'],
    ['a\nSWITCHYARD_STATUS: Done', 'a'],
    ['a\n_SWITCHYARD\\_STATUS: DONE_', 'a'],
    ['a\n1. SWITCHYARD_STATUS: DONE', 'a'],
    ['a\n| SWITCHYARD_STATUS: DONE |', 'a'],
    ['a\n"SWITCHYARD_STATUS: DONE"', 'a'],
    ['a\n### SWITCHYARD_STATUS: DONE ✅', 'a'],
    ['a\n(SWITCHYARD_STATUS = DONE...)', 'a'],
  ])('is not shown: %j', (text, shown) => expect(withoutStatusLine(text)).toBe(shown));

  it.each(['All done.\n', '', 'end with `SWITCHYARD_STATUS: DONE` when it is done', 'S'])(
    'leaves other words alone: %j',
    (text) => expect(withoutStatusLine(text)).toBe(text),
  );

  it('is held back wherever a text that goes on is cut', () => {
    for (const line of [
      `**${LINE}**`,
      '**SWITCHYARD_STATUS:** DONE',
      '`Switchyard\\_Status`: Done.',
    ]) {
      const text = `It is over.\n\n${line}`;
      for (let at = 1; at < text.length; at += 1) {
        const first = splitOpenStatusLine(text.slice(0, at));
        const second = splitOpenStatusLine(first.held + text.slice(at));
        expect(first.shown + second.shown, String(at)).not.toMatch(/SWITCH|STATUS|DONE/i);
        expect(first.shown + second.shown).toContain('It is over.'.slice(0, at));
      }
    }
  });

  it('holds no other words back', () => {
    for (const text of ['So it is', 'S of it', 'a line', 'SELECT', 'a line\n', 'x = STATUS', '']) {
      expect(splitOpenStatusLine(text)).toEqual({ shown: text, held: '' });
    }
    expect(splitOpenStatusLine('a S')).toEqual({ shown: 'a', held: ' S' });
  });

  it('takes a long text in one pass', () => {
    for (const part of ['S', '* ', '`', '\n', 'SWITCHYARD_STATUS:', '```\n', ' ']) {
      expect(withoutStatusLine(part.repeat(50_000)).length).toBeLessThanOrEqual(900_000);
      splitOpenStatusLine(part.repeat(50_000));
    }
  });
});
