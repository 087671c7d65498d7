import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { ago, ahead } from './mock-time.ts';

export const requests: HumanRequest[] = [
  {
    requestId: 'req-1',
    attemptId: 'att-SY-14-1',
    identifier: 'SY-14',
    state: 'asked',
    answers: null,
    answeredBy: null,
    askedAt: ago(3),
    answeredAt: null,
    expiresAt: ahead(1_400),
    questions: [
      {
        id: 'q1',
        header: 'Storage',
        question: 'Which bucket should new avatars go to?',
        isSecret: false,
        options: [
          {
            label: 'assets-eu',
            description: 'Where the other uploads are; the lifecycle rule deletes nothing',
          },
          { label: 'avatars (new)', description: 'A bucket of its own with a public read policy' },
        ],
      },
      {
        id: 'q2',
        header: '',
        question: 'The access key for the staging bucket',
        isSecret: true,
        options: [],
      },
    ],
  },
  {
    requestId: 'req-0',
    attemptId: 'att-SY-8-1',
    identifier: 'SY-8',
    state: 'resumed',
    answers: { q1: ['Answer 401'] },
    answeredBy: 'local',
    askedAt: ago(119),
    answeredAt: ago(117),
    expiresAt: ago(-1_000),
    questions: [
      {
        id: 'q1',
        header: '',
        question: 'Should an unsigned delivery get 401 or 404?',
        isSecret: false,
        options: [],
      },
    ],
  },
];
