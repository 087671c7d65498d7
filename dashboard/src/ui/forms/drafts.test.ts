import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './drafts.ts';

describe('what a form keeps until it is sent', () => {
  it('is what was typed, but no address with a password in it', () => {
    const typed = { match: 'SY-', url: 'https://someone:secret@git.example/app.git', branch: '' };
    expect(withoutSecrets(typed)).toEqual({ match: 'SY-', branch: '' });
  });
});
