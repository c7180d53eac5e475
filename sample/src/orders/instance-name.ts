/** The name of this instance of the application, in the run log. */
export class InstanceName {
  constructor(readonly value: string) {}
}
