import { describe } from 'vitest';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { keyboardWays } from './scenarios/keyboard-ways.ts';
import { walkWork } from './scenarios/work.ts';

describe('the views of the work, by keyboard alone', () => walkWork(keyboardHands, keyboardWays));
