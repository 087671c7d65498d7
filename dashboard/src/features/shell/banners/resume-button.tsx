import { useResume } from './use-resume.ts';
import { Button } from '../../../ui/button.tsx';

/** Lets work start again. */
export function ResumeButton() {
  return (
    <Button small onClick={useResume()}>
      Resume
    </Button>
  );
}
