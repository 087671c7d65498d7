import { expect, it } from 'vitest';
import { answersOf } from './answers-of.ts';

const question = (id: string, ...labels: string[]) => ({
  id,
  header: '',
  question: `${id}?`,
  isSecret: false,
  options: labels.map((label) => ({ label, description: '' })),
});

it('takes the whole text for one question, an option in its own spelling', () => {
  expect(answersOf([question('a')], ' 1. is\nmine ')).toEqual({ a: ['1. is\nmine'] });
  expect(answersOf([question('a', 'Red', 'Blue')], 'blue')).toEqual({ a: ['Blue'] });
});

it('gives numbered lines to their questions, and what is not numbered to all', () => {
  const questions = [question('a', 'Red'), question('b')];
  expect(answersOf(questions, 'Well:\n2) large\nor huge\n1. red')).toEqual({
    a: ['Red'],
    b: ['large\nor huge'],
  });
  expect(answersOf(questions, 'as you like')).toEqual({ a: ['as you like'], b: ['as you like'] });
});
