import type { HumanRequest } from '@switchyard/shared/api/work/request';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerRequest } from '../../api/actions.ts';
import { refresh } from '../../api/read-query.ts';

/** The mutation that sends the answers to a request, by question id. Only the first answer counts. */
export function useAnswer(
  request: Pick<HumanRequest, 'requestId' | 'identifier'>,
  onSent: (answers: Record<string, string[]>) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answers: Record<string, string[]>) => answerRequest(request.requestId, answers),
    onSuccess: (_response, answers) => onSent(answers),
    onSettled: () =>
      Promise.all([
        refresh(client, 'requests'),
        client.invalidateQueries({ queryKey: ['issue', request.identifier] }),
      ]),
  });
}
