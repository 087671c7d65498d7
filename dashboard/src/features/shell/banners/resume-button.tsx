import { useResume } from './use-resume.ts';

/** Lets work start again. */
export function ResumeButton() {
  return (
    <button type="button" class="button small" onClick={useResume()}>
      Resume
    </button>
  );
}
