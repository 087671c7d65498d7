import type { ControlPlaneMessage, RunnerMessage } from '@switchyard/shared/protocol/messages';

/** A frame in one line of the trace. */
export function summary(messages: (RunnerMessage | ControlPlaneMessage)[]): string {
  return messages
    .map((message) => {
      const id =
        'attemptId' in message
          ? ` ${message.attemptId?.slice(-8) ?? ''}/${'epoch' in message ? message.epoch : ''}`
          : '';
      return `${message.type}${id}${detailOf(message)}`;
    })
    .join(', ');
}

function detailOf(message: RunnerMessage | ControlPlaneMessage): string {
  switch (message.type) {
    case 'events':
      return ` ${message.from}..${message.items.at(-1)?.seq ?? ''}`;
    case 'ack':
      return ` ${message.upto}`;
    case 'finish':
      return ` ${message.finalSeq} ${message.outcome} ${message.failureKind ?? ''} ${message.marker ?? ''}`;
    case 'fence':
      return ` ${message.code}`;
    case 'decline':
      return ` ${message.code}`;
    case 'offer':
      return ` ${message.spec.issue.identifier} #${message.spec.number}`;
    case 'error':
      return ` ${message.code} ${message.message.slice(0, 60)}`;
    case 'renewed':
    case 'welcome':
      return ` [${message.verdicts.map((v) => `${v.attemptId.slice(-8)}/${v.epoch}:${v.verdict}${v.verdict === 'stop' ? ` ${v.code}` : ''}`).join(' ')}]`;
    case 'hello':
    case 'renew':
      return ` [${message.held.map((h) => `${h.attemptId.slice(-8)}/${h.epoch}:${h.phase}`).join(' ')}]`;
    case 'cancel':
      return ` ${message.reason}`;
    case 'released':
      return ` ${message.why}`;
    default:
      return '';
  }
}
