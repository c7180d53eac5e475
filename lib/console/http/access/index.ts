import { type Type } from '@nestjs/common';
import { OlderLoginController } from '../compat/older-login.controller.js';
import { AllTokensController } from './all-tokens.controller.js';
import { AuditController } from './audit.controller.js';
import { AuthController } from './auth.controller.js';
import { OidcController } from './oidc.controller.js';
import { OidcUsersController } from './oidc-users.controller.js';
import { OwnAccountController } from './own-account.controller.js';
import { SessionsController } from './sessions.controller.js';
import { SetupController } from './setup.controller.js';
import { UsersController } from './users.controller.js';

/** The controllers of logins, users, tokens, sessions and the audit. */
export const accessControllers: readonly Type[] = [
  AuthController,
  OidcController,
  OidcUsersController,
  OwnAccountController,
  SetupController,
  UsersController,
  SessionsController,
  AuditController,
  AllTokensController,
  OlderLoginController,
];
