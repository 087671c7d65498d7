import { shownRepository } from '@switchyard/shared/text/repository-url';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'preact/hooks';
import { replaceRepoRoute } from '../../api/actions.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { textIn } from '../../ui/forms/form-text.ts';
import { SubmitRow } from '../../ui/forms/submit-row.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { showRouteAdded } from './show-route-added.ts';

/** Edits the address of a route that fails; everything else is kept. */
export function CorrectRoute(props: {
  route: RepoRoute;
  index: number;
  onCorrected: () => void;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { route, index, onCorrected, onChanged, onClose } = props;
  const form = useRef<HTMLFormElement>(null);
  const correct = useMutation({
    mutationFn: (url: string) => replaceRepoRoute(index, { ...route, url }),
    onSuccess: (added) => {
      showRouteAdded(added);
      onCorrected();
      onClose();
    },
    onSettled: onChanged,
  });
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  return (
    <Form formRef={form} onSubmit={(element) => correct.mutate(textIn(element, 'url'))}>
      <TextField
        label="Corrected address"
        name="url"
        required
        maxLength={2048}
        defaultValue={shownRepository(route.url)}
        spellcheck={false}
      />
      <SubmitRow label="Save" busy="Looking at it" of={correct}>
        <Button aria-disabled={correct.isPending} onClick={() => correct.isPending || onClose()}>
          Cancel
        </Button>
      </SubmitRow>
    </Form>
  );
}
