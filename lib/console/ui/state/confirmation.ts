import { ref, shallowRef } from 'vue';

/** The reason of an action, as a request contains it. */
export interface Reason {
  readonly reason?: string;
}

/** An important action, which runs after the user has confirmed it. */
export interface Confirmation {
  /** The text of the button. */
  readonly action: string;
  /** The job, item, server or user of the action. */
  readonly name: string;
  readonly effect: string;
  readonly details?: string;
  /** The name to type if the action cannot be undone. */
  readonly typed?: string | undefined;
  readonly isDanger?: boolean;
  readonly hasReason?: boolean;
  /** An optional text, which `carryOut` gets. */
  readonly field?: { readonly label: string; readonly hint: string; readonly isDisabled: boolean };
  readonly carryOut: (body: Reason, text: string) => Promise<unknown>;
  /** The toast after success. */
  readonly done?: string;
}

/** The latest confirmation, which remains while its dialog closes. */
export const confirmation = shallowRef<Confirmation>();
/** True while the dialog is open. */
export const isConfirming = ref(false);

/** Opens the dialog, which remains open if `carryOut` fails. */
export function confirm(asked: Confirmation): void {
  confirmation.value = asked;
  isConfirming.value = true;
}
