import { type Provider, type Type } from '@nestjs/common';

/** What the console's module provides for registry centres, jobs, servers, tracing and live events. */
export const consoleServiceProviders: readonly Provider[] = [];

/** The controllers of all that. */
export const consoleServiceControllers: readonly Type[] = [];
