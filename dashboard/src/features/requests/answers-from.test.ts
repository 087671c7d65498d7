import type { Question } from '@switchyard/shared/api/work/question';
import { describe, expect, it } from 'vitest';
import { answersFrom } from './answers-from.ts';

const question = (id: string): Question => ({
  id,
  header: '',
  question: '?',
  options: [],
  isSecret: false,
});

describe('answers to a request', () => {
  it('are sent only when every question has one', () => {
    const questions = [question('a'), question('b')];
    expect(answersFrom(questions, { a: { choice: 'yes', text: '' } })).toBeNull();
    expect(
      answersFrom(questions, { a: { choice: 'yes', text: '' }, b: { choice: null, text: '  ' } }),
    ).toBeNull();
    expect(
      answersFrom(questions, { a: { choice: 'yes', text: '' }, b: { choice: null, text: ' no ' } }),
    ).toEqual({ a: ['yes'], b: ['no'] });
  });

  it('keeps a secret to the letter', () => {
    expect(
      answersFrom([{ ...question('key'), isSecret: true }], {
        key: { choice: null, text: ' s3cret ' },
      }),
    ).toEqual({ key: [' s3cret '] });
  });
});
