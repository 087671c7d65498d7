import { describe } from 'vitest';
import { mouseHands } from '../support/browser/mouse-hands.ts';
import { mouseWays } from './scenarios/mouse-ways.ts';
import { phoneScenario } from './scenarios/phone.ts';
import { walkWork } from './scenarios/work.ts';

describe('the views of the work, by mouse', () =>
  walkWork(mouseHands, (stage, issues) => {
    mouseWays(stage, issues);
    phoneScenario(stage, issues);
  }));
