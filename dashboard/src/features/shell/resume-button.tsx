import { useMutation, useQueryClient } from '@tanstack/react-query';
import { resumeService } from '../../api/actions.ts';
import { Problem } from '../../ui/problem.tsx';

/** Lets work start again. */
export function ResumeButton() {
  const client = useQueryClient();
  const resume = useMutation({
    mutationFn: resumeService,
    onSuccess: () => client.invalidateQueries({ queryKey: ['state'] }),
  });
  return (
    <>
      <Problem error={resume.error} />
      <button
        type="button"
        class="button small"
        disabled={resume.isPending}
        onClick={() => resume.mutate()}
      >
        Resume
      </button>
    </>
  );
}
