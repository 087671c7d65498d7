import { describe, expect, it } from 'vitest';
import { draftOf } from './form-draft.ts';

describe('what a form keeps until it is sent', () => {
  it('is what was typed, but no address with a password in it', () => {
    const fields = [
      { name: 'match', value: 'SY-' },
      { name: 'url', value: 'https://someone:secret@git.example/app.git' },
      { name: 'branch', value: '' },
    ];
    expect(draftOf(fields)).toEqual({ match: 'SY-', branch: '' });
  });
});
