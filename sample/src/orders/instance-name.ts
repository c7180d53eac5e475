/** The name of this instance of the application, as it stands in the run log. */
export class InstanceName {
  constructor(readonly value: string) {}
}
