import { describe } from 'vitest';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { walkOperation } from './scenarios/operation.ts';

describe('the views of operation, by mouse', () => walkOperation(mouseHands));
