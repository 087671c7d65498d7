import { describe, expect, it } from 'vitest';
import { askToSignIn, onSignInWanted, signedIn } from './sign-in-wanted.ts';

describe('being asked for a token', () => {
  it('comes once for what the page reads by itself, and for every act of a person', () => {
    const asked: string[] = [];
    const stop = onSignInWanted((words) => asked.push(words));
    askToSignIn('first read', { byItself: true });
    askToSignIn('second read', { byItself: true });
    askToSignIn('a change');
    askToSignIn('third read', { byItself: true });
    expect(asked).toEqual(['first read', 'a change']);
    signedIn();
    askToSignIn('the session is over', { byItself: true });
    expect(asked.at(-1)).toBe('the session is over');
    stop();
    askToSignIn('nobody listens');
    expect(asked).toHaveLength(3);
    const late: string[] = [];
    onSignInWanted((words) => late.push(words))();
    onSignInWanted((words) => late.push(words))();
    expect(late).toEqual(['nobody listens']);
  });
});
