import { describe } from 'vitest';
import { keyboardHands } from '../support/browser/keyboard-hands.ts';
import { walkOperation } from './scenarios/operation.ts';

describe('the views of operation, by keyboard alone', () => walkOperation(keyboardHands));
