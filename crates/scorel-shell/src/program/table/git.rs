//! Rows of git's commands, and of options before the command of a program.

/// Options that write a file or run a program, in any command of git.
pub(super) const COMMON: &str = "config=! config-env=! contents<! exec=! ext-diff! filters! no-index! \
    open-files-in-pager?! output> output-directory> receive-pack=! separate-git-dir=! template=! text \
    textconv! upload-pack=! strategy=!";

/// Commands of git.
pub(super) const COMMANDS: [(&str, &str); 27] = [
    (
        "checkout",
        "q,quiet b= B= l m,merge d,detach t,track? f,force orphan= 2,ours 3,theirs p,patch \
         conflict= pathspec-from-file< * | <",
    ),
    (
        "switch",
        "c,create= C,force-create= d,detach f,force discard-changes t,track? orphan= m,merge \
         conflict= * | =",
    ),
    (
        "restore",
        "s,source= S,staged W,worktree q,quiet m,merge 2,ours 3,theirs p,patch conflict= \
         pathspec-from-file< * | <",
    ),
    (
        "reset",
        "q,quiet mixed N,intent-to-add soft hard merge keep p,patch pathspec-from-file< * | <",
    ),
    (
        "clean",
        "q,quiet n,dry-run no-dry-run f,force i,interactive d e,exclude= x X * | <",
    ),
    (
        "branch",
        "v,verbose q,quiet t,track? u,set-upstream-to= r,remotes contains= no-contains= a,all \
         d,delete D m,move M c,copy C l,list show-current f,force sort= points-at= format= \
         color? column? * | =",
    ),
    (
        "tag",
        "l,list n? d,delete v,verify a,annotate m,message= F,file< e,edit s,sign \
         u,local-user= cleanup= f,force contains= no-contains= sort= points-at= format= * | =",
    ),
    (
        "rm",
        "n,dry-run q,quiet cached f,force r ignore-unmatch pathspec-from-file< * | <",
    ),
    ("mv", "f,force k n,dry-run v,verbose * | <"),
    (
        "worktree",
        "f,force b= B= d,detach reason= expire= q,quiet * | <",
    ),
    (
        "submodule",
        "q,quiet f,force b,branch= N,no-fetch name= reference= depth= j,jobs= * | <",
    ),
    (
        "read-tree",
        "m reset u i n v q prefix= index-output> exclude-per-directory= * | =",
    ),
    (
        "checkout-index",
        "a,all f,force u q n stdin z temp prefix= stage= * | <",
    ),
    ("update-ref", "m= d z stdin * | ="),
    (
        "commit",
        "F,file< author= date= m,message= c= C= fixup= squash= trailer= t,template<! S? a,all \
         p,patch n,no-verify u? cleanup= pathspec-from-file< * | <",
    ),
    (
        "diff log show format-patch archive whatchanged",
        "O<! o>! S= G= L= n,max-count= U= since= until= after= before= author= grep= remote=! \
         * # | <",
    ),
    (
        "grep",
        "O?! e=' f<' A= B= C= m,max-count= max-depth= threads= * # | = <",
    ),
    (
        "clone",
        "u=! c=! b,branch= o,origin= j,jobs= depth= reference<! reference-if-able<! filter= \
         shallow-since= shallow-exclude= * | u <",
    ),
    (
        "fetch",
        "u! c! multiple! o= j,jobs= depth= deepen= shallow-since= shallow-exclude= refmap= \
         negotiation-tip= * | u =",
    ),
    ("pull", "u! c! s=! X= j= depth= deepen= S? * | u ="),
    (
        "push",
        "exec=! repo=! o,push-option= f,force d,delete n,dry-run u,set-upstream \
         force-with-lease? * | u =",
    ),
    ("ls-remote", "u,exec=! c! h t sort= o= * | u ="),
    ("remote", "t= m= f * | = = u"),
    (
        "merge",
        "s=! X= m,message= F,file< into-name= cleanup= S? * | =",
    ),
    (
        "rebase",
        "x=! i,interactive! s=! X= onto= C= S? r? whitespace= empty= * | =",
    ),
    (
        "init apply",
        "unsafe-paths! directory=! b,initial-branch= p= C= exclude= include= * | <",
    ),
    (
        "config",
        "local global system worktree z,null type= bool int path show-origin show-scope \
         name-only includes no-includes default= get get-all get-regexp l,list | =",
    ),
];

/// Options before a program's command.
pub(super) const GLOBAL: [(&str, &str); 6] = [
    (
        "git",
        "C< c=! git-dir=! work-tree=! namespace=! config-env=! super-prefix=! attr-source=! \
         exec-path?! no-pager * +",
    ),
    (
        "npm",
        "C,prefix,dir= w,workspace= registry= userconfig= globalconfig= script-shell= otp= \
         tag= access= cache= loglevel= * +",
    ),
    (
        "pnpm yarn bun",
        "C,dir,cwd= F,filter,filter-prod= reporter= loglevel= registry= * +",
    ),
    ("cargo", "Z= C= color= config= * +"),
    (
        "docker podman",
        "c,context,connection= H,host,url= config= l,log-level= tlscacert= tlscert= tlskey= \
         identity= * +",
    ),
    (
        "poetry uv hatch twine gem",
        "C,directory= P,p,project= config-file= cache-dir= color= e,env= config= data-dir= * \
         +",
    ),
];
