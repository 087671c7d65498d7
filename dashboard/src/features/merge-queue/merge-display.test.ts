import { MergeState } from '@switchyard/shared/api/pull-requests/merge-queue';
import { describe, expect, it } from 'vitest';
import {
  enteredByText,
  MERGE_DISPLAY,
  mergeNextStep,
  mergeReason,
  mergeStateText,
} from './merge-display.ts';

describe('a pull request in the merge queue', () => {
  it.each([
    [1, 'Waiting, next in line'],
    [2, 'Waiting, 2nd in line'],
    [3, 'Waiting, 3rd in line'],
    [11, 'Waiting, 11th in line'],
    [21, 'Waiting, 21st in line'],
    [null, 'Waiting'],
  ])('has its place as text: %s', (position, text) =>
    expect(mergeStateText({ state: 'waiting', position })).toBe(text),
  );

  it('has a shape and a label of its own for each state', () => {
    const displays = MergeState.options.map((state) => MERGE_DISPLAY[state]);
    expect(new Set(displays.map(({ icon }) => icon)).size).toBe(displays.length);
    expect(mergeStateText({ state: 'held', position: null })).toBe('Held');
  });

  it('has the reason of its code with its own facts, also of a newer service', () => {
    expect(mergeReason({ reason: 'src/a.ts', reasonCode: 'merge_conflict' })).toBe(
      'The pull request conflicts with its base branch: src/a.ts',
    );
    expect(mergeReason({ reason: 'test exited with 1', reasonCode: 'checks_failed' })).toBe(
      'The merge does not pass the checks: test exited with 1',
    );
    expect(mergeReason({ reason: 'it is tested', reasonCode: 'merge_testing' })).toBe(
      'The merge of the pull request is tested.',
    );
    expect(mergeReason({ reason: 'the moon', reasonCode: 'merge_moon' as never })).toBe('The moon');
  });

  it.each([
    ['its pull request was taken out of the merge queue', 'Its pull request was taken out of the'],
    ['taken out of the merge queue by ada', 'Taken out of the merge queue by ada'],
    ['its issue was stopped', 'Its issue was stopped'],
  ])('says once that it was taken out: %s', (reason, text) => {
    const shown = mergeReason({ reason, reasonCode: 'merge_removed' });
    expect(shown).toContain(text);
    expect(shown).not.toContain('The pull request was');
  });

  it('has a next step only while it is held', () => {
    const reasonCode = 'merge_removed';
    expect(mergeNextStep({ state: 'held', reasonCode })).toContain('Queue it again');
    expect(mergeNextStep({ state: 'held', reasonCode: 'checks_failed' })).toContain('queue it');
    expect(mergeNextStep({ state: 'returned', reasonCode })).toBeNull();
    expect(mergeNextStep({ state: 'held', reasonCode: 'merge_moon' as never })).toBeNull();
  });

  it('names who asked for it, and the policy where nobody did', () => {
    expect(enteredByText('local', 'local')).toBe('Queued by you');
    expect(enteredByText('ada', 'local')).toBe('Queued by ada');
    expect(enteredByText('service', 'local')).toBe("Queued by the repository's merge policy");
  });
});
